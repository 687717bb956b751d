// Copies a text. Not there where the browser has no clipboard: pages over plain http have none, but on this machine.

import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { useEffect, useState } from "react";
import { IconButton } from "./icon-button.tsx";

export function CopyButton({ text, of, className }: { readonly text: () => string; readonly of: string; readonly className?: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 2000);
    return () => clearTimeout(timer);
  }, [done]);
  // Missing where the page is not trusted with it, whatever its type says.
  if (!("clipboard" in navigator)) return null;
  return (
    <IconButton
      label={done ? "Copied" : `Copy ${of}`}
      Icon={done ? Check : Copy}
      sign={14}
      className={className}
      onClick={() =>
        void navigator.clipboard.writeText(text()).then(
          () => setDone(true),
          () => {},
        )
      }
    />
  );
}
