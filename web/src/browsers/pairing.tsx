// Let another browser in: a code to type there, and a picture of it for a phone's camera where the daemon can be reached from there.

import { useEffect, useState } from "react";
import type { z } from "zod";
import encodeQr from "qr";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { Problem, SectionHeading } from "../parts/note.tsx";
import { useWork } from "../parts/use-work.ts";

type Code = z.infer<typeof routes.addPairing.answer>;

/** Who was let in is looked for so often while a code is open. */
const LOOK = 3000;

export function Pairing({ refresh }: { readonly refresh: () => void }) {
  const { client } = useApp();
  const [code, setCode] = useState<Code | null>(null);
  const { problem, during } = useWork();
  useEffect(() => {
    if (code === null) return;
    const looking = setInterval(refresh, LOOK);
    const over = setTimeout(() => setCode(null), Math.max(0, code.expires - Date.now()));
    return () => {
      clearInterval(looking);
      clearTimeout(over);
    };
  }, [code, refresh]);
  const open = async (): Promise<void> => setCode(await client.send(routes.addPairing, {}));
  return (
    <section aria-label="Another browser">
      <SectionHeading>Another browser or a phone</SectionHeading>
      <Problem text={problem} />
      {code === null ? (
        <Button onClick={() => void during(open)}>Show a code</Button>
      ) : (
        <div className="grid justify-items-start gap-3 rounded-xl border border-line bg-surface p-4" role="status">
          {code.address !== null && <Picture text={`${code.address}/#pair=${code.code}`} />}
          <p className="font-mono text-2xl tracking-widest" dir="ltr">
            {code.code}
          </p>
          <p className="text-sm text-soft">
            {code.address === null ? (
              <>
                Open <code className="font-mono text-[0.9em]">{location.origin}</code> in another browser on this machine and type the code.
                The daemon listens only on this machine; a phone needs an address that it can reach, with TLS.
              </>
            ) : (
              <>
                Scan it with the phone's camera, or open <code className="font-mono text-[0.9em]">{code.address}</code> there and type the
                code.
              </>
            )}{" "}
            The code works once, within five minutes.
          </p>
        </div>
      )}
    </section>
  );
}

/** Black on white in both themes: cameras do not read it otherwise. */
function Picture({ text }: { readonly text: string }) {
  const rows = encodeQr(text, "raw", { border: 3 });
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return (
    <svg
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      className="size-56 rounded-lg"
      role="img"
      aria-label="QR code of the address and the code"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
