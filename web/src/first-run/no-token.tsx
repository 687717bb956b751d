// The page was opened without its token: by its bare address, or in another browser. A code, the token or its address can be given here.

import { type SubmitEvent, useState } from "react";
import { wordIn } from "../boot/token.ts";
import { Button } from "../parts/button.tsx";
import { fieldClass, Note } from "../parts/note.tsx";

/** `failed`: why what was given did not sign it in. */
export function NoToken({ failed = null }: { readonly failed?: string | null }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(failed);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = wordIn(text);
    if (given === null) setProblem("That is no code and holds no token. Type the code, or paste the whole address.");
    else location.hash = `#${given.kind === "code" ? "pair" : "token"}=${encodeURIComponent(given.word)}`;
  };
  return (
    <main className="mx-auto grid h-full max-w-md content-center gap-4 px-6">
      <h1 className="text-xl font-semibold tracking-tight">This browser isn't signed in</h1>
      <p className="text-soft">
        Hallpass answers only to whoever started it. On that machine, <Command>hallpass pair</Command> shows a code for this field, and{" "}
        <Command>hallpass status --link</Command> an address to open here; in a checkout, <Command>node bin/hallpass.js pair</Command>. It
        is taken once, and this browser gets a credential of its own.
      </p>
      <form className="grid gap-3" onSubmit={submit}>
        <label htmlFor="token" className="text-sm font-medium">
          Code, address or token
        </label>
        <input
          id="token"
          className={`${fieldClass} font-mono`}
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => {
            setText(target.value);
            setProblem(null);
          }}
        />
        {problem !== null && <Note kind="problem">{problem}</Note>}
        <Button type="submit" weight="solid" className="w-fit" disabled={text.trim() === ""}>
          Sign in
        </Button>
      </form>
    </main>
  );
}

function Command({ children }: { readonly children: string }) {
  return <code className="font-mono text-[0.9em]">{children}</code>;
}
