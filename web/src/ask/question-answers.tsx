// The answer to a question of the agent's: one of its options, or a person's own words. Nothing is granted by it.

import { useState } from "react";
import type { AnswerBody } from "../../../src/wire/http.ts";
import type { WireAsk } from "../../../src/wire/values.ts";
import { Button } from "../parts/button.tsx";
import { Field, Form } from "../parts/field.tsx";
import { Shown } from "../parts/shown.tsx";
import { GrantButton } from "./grant-button.tsx";

export interface QuestionAnswersProps {
  readonly ask: WireAsk;
  readonly busy: boolean;
  readonly escapes: boolean;
  readonly answer: (answer: AnswerBody) => void;
}

export function QuestionAnswers({ ask, busy, escapes, answer }: QuestionAnswersProps) {
  const [text, setText] = useState("");
  const { digest } = ask;
  return (
    <div className="grid gap-2.5">
      {ask.options.length > 0 && (
        <div className="flex flex-wrap gap-2" role="group" aria-label="Answers the agent offers">
          {ask.options.map((option, index) => (
            <GrantButton key={index} busy={busy} onGrant={() => answer({ decision: "reply", digest, text: option })}>
              <Shown text={option} width={200} />
            </GrantButton>
          ))}
        </div>
      )}
      <Form
        className="flex flex-wrap gap-2"
        submit={() => {
          if (text.trim() !== "") answer({ decision: "reply", digest, text: text.trim() });
        }}
      >
        <Field
          className="min-w-48 flex-1"
          aria-label="Your answer"
          placeholder="Answer in your own words"
          value={text}
          maxLength={8000}
          set={setText}
        />
        <Button type="submit" disabled={busy || text.trim() === ""}>
          Answer
        </Button>
        <Button weight="ghost" disabled={busy} onClick={() => answer({ decision: "deny", digest })}>
          No answer
          {escapes && <kbd className="pointer-coarse:hidden rounded border border-current px-1 font-mono text-2xs">Esc</kbd>}
        </Button>
      </Form>
    </div>
  );
}
