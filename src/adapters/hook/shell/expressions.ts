// Expressions given to grep, jq, sed and awk: which of them can only look. Those of sed and awk may read, write and run; only the
// plainest forms are taken for looking.

/** Can the expression do no more than look at what the command reads? */
export function isPlainExpression(command: string, text: string): boolean {
  if (command === "sed") return isPlainSed(text);
  if (command === "awk" || command === "gawk" || command === "mawk")
    return !/getline|system|[|>]|@(?:load|include)|ARGV|\binput\b/u.test(text);
  if (command === "jq") return !/\b(?:import|include|input_filename|\$__loc__)\b|\$ENV|\benv\b/u.test(text);
  return true;
}

const ADDRESS = String.raw`(?:(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)(?:,(?:\d+|\$|\+\d+|/(?:[^/\\\n]|\\.)*/))?\s*!?\s*)?`;
const LOOK = String.raw`[pdqDPnN=](?:\d+)?`;
const CHANGE = String.raw`s([/|#,@:~])(?:(?!\DELIMITER)[^\\\n]|\\.)*\DELIMITER(?:(?!\DELIMITER)[^\\\n]|\\.)*\DELIMITER[gIip\d]*`;

/** Printing, deleting and replacing, one after the other. */
function isPlainSed(text: string): boolean {
  if (text.length > 2_000) return false;
  const change = CHANGE.replaceAll("DELIMITER", "1");
  const one = new RegExp(`^\\s*${ADDRESS}(?:${LOOK}|${change})\\s*(?:;|\\n|$)`, "u");
  let rest = text;
  while (rest.trim() !== "") {
    const found = one.exec(rest)?.[0];
    if (found === undefined || found === "") return false;
    rest = rest.slice(found.length);
  }
  return true;
}
