// What a person types into or chooses from, and the form around it.

import { clsx } from "clsx";
import type { ComponentProps } from "react";

export const fieldClass =
  "min-h-10 pointer-coarse:min-h-11 w-full rounded-lg border border-line-strong bg-surface px-3 text-sm text-ink focus-visible:outline-2 focus-visible:outline-accent";

/** `set` gets what was typed. */
export function Field({ set, className, ...rest }: ComponentProps<"input"> & { readonly set: (text: string) => void }) {
  return <input className={clsx(fieldClass, className)} onChange={({ target }) => set(target.value)} {...rest} />;
}

interface SelectProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly set: (value: T) => void;
  /** Each with what it is called. */
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly className: string;
}

export function Select<T extends string>({ label, value, set, options, className }: SelectProps<T>) {
  return (
    <select
      className={clsx(fieldClass, className)}
      aria-label={label}
      value={value}
      onChange={({ target }) => options.forEach(([one]) => one === target.value && set(one))}
    >
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** `submit` in place of what a browser would do. */
export function Form({ submit, ...rest }: ComponentProps<"form"> & { readonly submit: () => void }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      {...rest}
    />
  );
}
