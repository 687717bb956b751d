// Notices on this device while the pages are closed: strictly asked for, by the person, in each browser. They go through the service of the
// browser's maker.

import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Problem, SectionHeading } from "../parts/note.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { useWork } from "../parts/use-work.ts";

export function Notices() {
  const { client } = useApp();
  const { answer: push, problem: unknown, set } = useAnswer(routes.push, {});
  const { problem, during } = useWork();
  if (push === null) return <Problem text={unknown} />;
  const { key } = push;
  const canPush = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
  const turnOn = async (): Promise<void> => {
    if ((await Notification.requestPermission()) !== "granted") throw new Error("This browser does not let Hallpass show notices.");
    const worker = await navigator.serviceWorker.register("/service-worker.js");
    const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    const { endpoint = "", keys: { p256dh = "", auth = "" } = {} } = made.toJSON();
    const { isOn } = await client.send(routes.setPush, { body: { subscription: { endpoint, keys: { p256dh, auth } } } });
    set({ key, isOn });
  };
  const turnOff = async (): Promise<void> => {
    const { isOn } = await client.send(routes.setPush, { body: { subscription: null } });
    const worker = await navigator.serviceWorker.getRegistration();
    await (await worker?.pushManager.getSubscription())?.unsubscribe();
    set({ key, isOn });
  };
  return (
    <section aria-label="Notices">
      <SectionHeading>Notices while the pages are closed</SectionHeading>
      <Problem text={problem} />
      {key === null ? (
        <p className="text-sm text-soft">
          This daemon sends no notices. To tell this browser when an agent waits, start the daemon with{" "}
          <code className="font-mono text-[0.9em]">hallpass serve --push mailto:you@example.com</code>.
        </p>
      ) : !canPush ? (
        <p className="text-sm text-soft">
          This browser cannot receive notices here. It needs https, and on an iPhone the page on the home screen.
        </p>
      ) : (
        <div className="grid justify-items-start gap-2">
          <p className="text-sm text-soft">
            A notice says that an agent waits, and nothing that the agent wrote. It goes through the push service of this browser's vendor,
            which learns when it is sent, but cannot read it.
          </p>
          <Button onClick={() => void during(push.isOn ? turnOff : turnOn)}>
            {push.isOn ? "Stop notices to this browser" : "Send notices to this browser"}
          </Button>
        </div>
      )}
    </section>
  );
}
