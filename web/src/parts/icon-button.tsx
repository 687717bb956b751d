// A button that is a sign alone: what it does is read out, and shown on hovering.

import type X from "lucide-react/icons/x";
import { Button, type ButtonProps } from "./button.tsx";

interface IconButtonProps extends ButtonProps {
  readonly label: string;
  /** Any of them. */
  readonly Icon: typeof X;
  /** The sign's size, in pixels. */
  readonly sign?: number;
}

export function IconButton({ label, Icon, sign = 16, children, ...rest }: IconButtonProps) {
  return (
    <Button weight="ghost" size="icon" aria-label={label} title={label} {...rest}>
      <Icon size={sign} aria-hidden="true" />
      {children}
    </Button>
  );
}
