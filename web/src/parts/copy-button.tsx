// Copies a text. Not there where the browser has no clipboard: pages over plain http have none, but on this machine.

import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { useEffect, useState } from "react";
import { Button } from "./button.tsx";

export function CopyButton({ text, of, className }: { readonly text: () => string; readonly of: string; readonly className?: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 2000);
    return () => clearTimeout(timer);
  }, [done]);
  // Missing where the page is not trusted with it, whatever its type says.
  if (!("clipboard" in navigator)) return null;
  const Icon = done ? Check : Copy;
  return (
    <Button
      weight="ghost"
      size="icon"
      className={className}
      aria-label={done ? "Copied" : `Copy ${of}`}
      title={done ? "Copied" : `Copy ${of}`}
      onClick={() =>
        void navigator.clipboard.writeText(text()).then(
          () => setDone(true),
          () => {},
        )
      }
    >
      <Icon size={14} aria-hidden="true" />
    </Button>
  );
}
