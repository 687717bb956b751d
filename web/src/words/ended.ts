// What a page says of a session that has ended.

import { sessionEndWords } from "../../../src/wire/record-words.ts";
import type { WireSession } from "../../../src/wire/values.ts";

export const endedWords = (session: Pick<WireSession, "ended"> | undefined): string =>
  session?.ended === undefined ? "This session has ended." : `This session has ended: ${sessionEndWords[session.ended]}.`;
