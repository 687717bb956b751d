// The X-ray over the page, fetched when it is first opened.

import { lazy, Suspense } from "react";
import { Sheet } from "../parts/sheet.tsx";
import type { XrayProps } from "./xray.tsx";

const Xray = lazy(() => import("./xray.tsx").then(({ Xray }) => ({ default: Xray })));

export function XraySheet({ title, close, ...xray }: XrayProps & { readonly title: string; readonly close: (open: boolean) => void }) {
  return (
    <Sheet open onOpenChange={close} title={title} wide>
      <Suspense fallback={<p className="p-4 text-sm text-soft">Looking…</p>}>
        <Xray {...xray} />
      </Suspense>
    </Sheet>
  );
}
