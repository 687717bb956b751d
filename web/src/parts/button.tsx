// Buttons: four weights, three sizes; under a finger each is 44 pixels high at least. Nothing here grants by itself; see ask/grant-button.tsx.

import { clsx } from "clsx";
import type { ButtonHTMLAttributes, Ref } from "react";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly weight?: "solid" | "outline" | "ghost" | "danger";
  readonly size?: "normal" | "small" | "icon";
  readonly ref?: Ref<HTMLButtonElement>;
}

const weights = {
  solid: "bg-accent text-on-accent border-accent hover:opacity-90",
  outline: "bg-surface text-ink border-line-strong hover:bg-raised",
  ghost: "bg-transparent text-soft border-transparent hover:bg-raised hover:text-ink",
  danger: "bg-surface text-deny border-deny hover:bg-deny-ground",
};
const sizes = {
  normal: "min-h-10 pointer-coarse:min-h-11 px-3 text-sm",
  small: "min-h-8 pointer-coarse:min-h-11 px-2.5 text-xs",
  icon: "size-9 pointer-coarse:size-11 justify-center",
};

/** For something low that is pressed: what takes the finger is larger than what is seen, and nothing moves. */
export const fingerClass = "relative after:absolute after:-inset-x-2 after:-inset-y-2.5 after:content-['']";

export function buttonClass(weight: keyof typeof weights = "outline", size: keyof typeof sizes = "normal"): string {
  return clsx(
    "inline-flex items-center gap-2 rounded-lg border font-medium transition-colors select-none",
    "disabled:opacity-55 aria-disabled:opacity-60",
    weights[weight],
    sizes[size],
  );
}

export function Button({ weight = "outline", size = "normal", className, type = "button", ...rest }: ButtonProps) {
  return <button type={type} className={clsx(buttonClass(weight, size), className)} {...rest} />;
}
