// Notices on this device while the pages are closed: strictly asked for, by the person, in each browser. They go through the service of the
// browser's maker.

import { useCallback, useEffect, useState } from "react";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Note, SectionHeading } from "../parts/note.tsx";

interface PushState {
  readonly key: string | null;
  readonly isOn: boolean;
}

export function Notices() {
  const { client } = useApp();
  const [push, setPush] = useState<PushState | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const tried = useCallback(async (work: () => Promise<PushState>): Promise<void> => {
    try {
      setPush(await work());
      setProblem(null);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, []);
  useEffect(() => void tried(() => client.send(routes.push, {})), [client, tried]);
  if (push === null) return problem === null ? null : <Note kind="problem">{problem}</Note>;
  const { key } = push;
  const canPush = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
  const turnOn = async (): Promise<PushState> => {
    if ((await Notification.requestPermission()) !== "granted") throw new Error("This browser does not let Hallpass show notices.");
    const worker = await navigator.serviceWorker.register("/service-worker.js");
    const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    const { endpoint = "", keys: { p256dh = "", auth = "" } = {} } = made.toJSON();
    const { isOn } = await client.send(routes.setPush, { body: { subscription: { endpoint, keys: { p256dh, auth } } } });
    return { key, isOn };
  };
  const turnOff = async (): Promise<PushState> => {
    const { isOn } = await client.send(routes.setPush, { body: { subscription: null } });
    const worker = await navigator.serviceWorker.getRegistration();
    await (await worker?.pushManager.getSubscription())?.unsubscribe();
    return { key, isOn };
  };
  return (
    <section aria-label="Notices">
      <SectionHeading>Notices while the pages are closed</SectionHeading>
      {problem !== null && <Note kind="problem">{problem}</Note>}
      {key === null ? (
        <p className="text-sm text-soft">
          This daemon sends none. Started with <code className="font-mono text-[0.9em]">hallpass serve --push mailto:you@example.com</code>,
          it can tell this browser that an agent waits.
        </p>
      ) : !canPush ? (
        <p className="text-sm text-soft">This browser takes none here: it wants https, and on an iPhone the page on the home screen.</p>
      ) : (
        <div className="grid justify-items-start gap-2">
          <p className="text-sm text-soft">
            They say that an agent waits, and nothing that it wrote. They go through the service of this browser's maker, which learns when,
            and cannot read what.
          </p>
          <Button onClick={() => void tried(push.isOn ? turnOff : turnOn)}>
            {push.isOn ? "No more notices here" : "Send notices to this browser"}
          </Button>
        </div>
      )}
    </section>
  );
}
