// A link among words.

import { clsx } from "clsx";
import type { ReactNode } from "react";
import { Link } from "wouter";

interface TextLinkProps {
  readonly href: string;
  readonly className?: string;
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

export function TextLink({ className, ...rest }: TextLinkProps) {
  return <Link className={clsx("text-accent underline underline-offset-2", className)} {...rest} />;
}

/** By itself in a line: a finger finds it. */
export const aloneClass = "flex w-fit items-center rounded pointer-coarse:min-h-11";
