// The page was opened without its token: by its bare address, or in another browser. A code, the token or its address can be given here.

import { useRef, useState } from "react";
import { readTokenOrCode } from "../boot/token.ts";
import { Button } from "../parts/button.tsx";
import { Field, Form } from "../parts/field.tsx";
import { Problem } from "../parts/note.tsx";
import { useFirstFocus } from "../parts/use-first-focus.ts";

/** `failed`: why what was given did not sign it in. */
export function NoToken({ failed = null }: { readonly failed?: string | null }) {
  const field = useRef<HTMLInputElement>(null);
  useFirstFocus(field);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(failed);
  const submit = (): void => {
    const tokenOrCode = readTokenOrCode(text);
    if (tokenOrCode === null) setProblem("That is not a code, and there is no token in it. Type the code, or paste the whole address.");
    else location.hash = `#${tokenOrCode.kind === "code" ? "pair" : "token"}=${encodeURIComponent(tokenOrCode.word)}`;
  };
  return (
    <main className="mx-auto grid h-full max-w-md content-center gap-4 px-6">
      <h1 className="text-xl font-semibold tracking-tight">This browser isn't signed in</h1>
      <p className="text-soft">
        To sign in, go to the machine that runs Hallpass. There, <Command>hallpass pair</Command> shows a code for this field, and{" "}
        <Command>hallpass status --link</Command> shows an address to open here. This browser then gets its own credential.
      </p>
      <p className="text-sm text-soft">
        If the command is not found, use <Command>npx hallpass pair</Command>, or <Command>node bin/hallpass.js pair</Command> in a
        checkout.
      </p>
      <Form className="grid gap-3" submit={submit}>
        <label htmlFor="token" className="text-sm font-medium">
          Code, address or token
        </label>
        <Field
          ref={field}
          id="token"
          className="font-mono"
          value={text}
          autoComplete="off"
          spellCheck={false}
          set={(typed) => {
            setText(typed);
            setProblem(null);
          }}
        />
        <Problem text={problem} />
        <Button type="submit" weight="solid" className="w-fit" disabled={text.trim() === ""}>
          Sign in
        </Button>
      </Form>
    </main>
  );
}

function Command({ children }: { readonly children: string }) {
  return <code className="font-mono text-[0.9em]">{children}</code>;
}
