// The page was opened without its token: by its bare address, or in another browser. The token can be given here, as it is or in its address.

import { type SubmitEvent, useState } from "react";
import { tokenIn } from "../boot/token.ts";
import { Button } from "../parts/button.tsx";
import { fieldClass, Note } from "../parts/note.tsx";

export function NoToken() {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const token = tokenIn(text);
    if (token === null) setProblem("That holds no token. Paste the whole address, or the part after #token=.");
    else location.hash = `#token=${token}`;
  };
  return (
    <main className="mx-auto grid h-full max-w-md content-center gap-4 px-6">
      <h1 className="text-xl font-semibold tracking-tight">This browser isn't signed in</h1>
      <p className="text-soft">
        Hallpass answers only to whoever started it. On that machine, <code className="font-mono text-[0.9em]">hallpass status --link</code>{" "}
        prints the address with its token; in a checkout, <code className="font-mono text-[0.9em]">node bin/hallpass.js status --link</code>
        . Open it, or paste it here. It is taken once and kept for this browser.
      </p>
      <form className="grid gap-3" onSubmit={submit}>
        <label htmlFor="token" className="text-sm font-medium">
          Address or token
        </label>
        <input
          id="token"
          type="password"
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
