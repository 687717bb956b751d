// What is said to the agent rather than asked of it: who it is, what it can do, thanks, "try again". Only whole sentences without
// any file in them count, so that no request is taken for small talk.

import { stripped } from "./clauses.ts";
import { type Masked, thingsIn } from "./mask.ts";
import type { Talk } from "./wish.ts";

const WORDS: readonly [Talk | "again", RegExp][] = [
  [
    "again",
    /^(?:(?:try|do|run|read|ask|check|show)(?: (?:it|that|this|them))?(?: (?:again|once more|once again|one more time))(?: (?:please|now))?|again|retry|redo(?: it| that)?|once more|one more time|repeat(?: that| it)?|try now|same again)$/i,
  ],
  [
    "about",
    /^(?:help|\?+|(?:show |give )?(?:me )?(?:some )?(?:help|examples?|usage|instructions|commands)|h|man|how do(?:es)? (?:you|this|it|i use (?:you|this|it)) ?(?:work)?|how can (?:you help|i use).*)$/i,
  ],
  ["about", /^(?:what|who|how) (?:are|r) you(?: (?:exactly|anyway|really|called|doing|made of|good (?:at|for)|for|today|based on.*))?$/i],
  [
    "about",
    /^(?:what(?:'s| is) your (?:name|purpose|job)|what is this|what(?:'s| is) hallpass|what model\b.*|which model\b.*|tell me about yourself|introduce yourself|your name)$/i,
  ],
  [
    "about",
    /^what (?:else )?(?:can|could|do) (?:you|i)(?: even| actually)? (?:do|ask|say|type|help.*|understand|know)(?: (?:for me|here|now|with you|you))?$/i,
  ],
  [
    "about",
    /^are you (?:an? )?(?:ai|a\.i\.|llm|bot|robot|human|real|person|model|language model|gpt|chatgpt|claude|machine|there|alive|sentient)\b.*$/i,
  ],
  [
    "greeting",
    /^(?:hi|hello|hey|yo|howdy|greetings|hola|hallo|good (?:morning|afternoon|evening|day))(?: (?:there|you|guide|hallpass|again|everyone|all))?$/i,
  ],
  [
    "thanks",
    /^(?:(?:ok|okay|great|perfect|cool|nice|good)[,. ]*)?(?:thanks|thank you|thx|ty|cheers|much appreciated)(?: (?:a lot|very much|so much|again|for (?:that|this|the help|your help)))?$/i,
  ],
  [
    "thanks",
    /^(?:great|nice|perfect|cool|awesome|good|good job|well done|excellent|ok|okay|k|got it|i see|fine|bye|goodbye|see you|that's all|that is all|done|wow)$/i,
  ],
  [
    "yes",
    /^(?:y|yes|yep|yeah|yup|sure|certainly|of course|go ahead|go on|continue|proceed|please do|do it|do so|yes(?:,? (?:please|do|go ahead|do it))|(?:i )?(?:allow|approve|approved|permit|grant|granted|accept|confirm|confirmed)(?: (?:it|that|this|access))?|you (?:can|may)(?: (?:read|see|have|open) (?:it|that|them))?(?: now)?|access granted|permission granted|it's (?:ok|okay|fine|allowed))$/i,
  ],
  [
    "no",
    /^(?:n|no|nope|nah|no thanks|no thank you|never ?mind|cancel|forget (?:it|that)|stop|stop it|abort|quit|exit|leave it|deny|denied|don't|do not)$/i,
  ],
  [
    "how-to-write",
    /^(?:write|create|save|make)(?: (?:me )?(?:something|a file|an? (?:new |empty )?file|a poem|a story|code|text|notes?|some .*))?$/i,
  ],
  [
    "no-removing",
    /^(?:delete|remove|erase|rm|move|mv|rename|copy|cp|mkdir|create (?:a |the |new )*(?:folder|directory|dir)|make (?:a |the |new )*(?:folder|directory|dir))\b.*$/i,
  ],
  [
    "no-network",
    /^(?:(?:fetch|open|read|get|download|visit|browse|load|show|curl|wget|look at|go to|summari[sz]e|search)\b.*(?:\b(?:web|internet|website|online|url|google)\b).*)$/i,
  ],
];

/** What kind of talk a sentence is, with its manners or without; null if it may be a request. */
export function talkOf(sentence: string, masked: Masked): Talk | "again" | null {
  const things = thingsIn(sentence, masked);
  if (things.some(({ kind }) => kind === "url")) return "no-network";
  const plain = sentence.replaceAll("’", "'").replaceAll(/\s+/g, " ").trim();
  if (plain.length > 300) return null;
  const said = [plain.replace(/[\s.!?,:;]+$/, ""), plain, stripped(plain)];
  for (const [talk, pattern] of WORDS) {
    if (things.length > 0 && talk !== "no-removing") continue;
    if (said.some((one) => pattern.test(one))) return talk;
  }
  return null;
}
