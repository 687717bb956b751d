// Expressions given to grep, jq, sed and awk: which of them can only look. Those of sed and awk may read, write and run; only the
// plainest forms are taken for looking.

/** Can the expression do no more than look at what the command reads? */
export function isPlainExpression(command: string, text: string): boolean {
  if (command === "sed") return isPlainSed(text);
  // Everything in awk that opens, runs or calls by a name made up on the way. `||` and `>=` are none of it.
  if (command === "awk" || command === "gawk" || command === "mawk")
    return !/getline|system|[|>@]|\\\n|ARGV|SYMTAB|FUNCTAB/u.test(text.replaceAll(/\|\||>=/gu, " "));
  if (command === "jq") return !/\b(?:import|include|input_filename|\$__loc__)\b|\$ENV|\benv\b/u.test(text);
  return true;
}

const PATTERN = String.raw`/(?:[^/\\\n]|\\.)*/`;
const ADDRESS = String.raw`(?:(?:\d+|\$|${PATTERN}I?)(?:,(?:\d+|\$|\+\d+|~\d+|${PATTERN}I?))?\s*!?\s*)?`;
const LOOK = String.raw`[pdqDPnNhHgGxl={}](?:\d+)?`;
/** The rest of the line is text. */
const SAY = String.raw`[aic][ \t\\][^\n]*`;
const CHANGE = String.raw`[sy]([/|#,@:~!%])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gIiMmp\d]*`;
const ONE = new RegExp(`^[\\s;]*${ADDRESS}(?:${CHANGE}(?=\\s*(?:[;}]|\\n|$))|${SAY}|${LOOK}(?=\\s*(?:[;}]|\\n|$)|(?<=[{}])))`, "u");

/** Printing, deleting, adding text and replacing, one after the other. */
function isPlainSed(text: string): boolean {
  if (text.length > 2_000) return false;
  // Some take a sign within brackets for the end of an expression, and some do not: what follows would be two different programs.
  if (!hasPlainBrackets(text.replaceAll(/\[:\w+:\]/gu, "")) || text.lastIndexOf("[") > text.lastIndexOf("]")) return false;
  let rest = text;
  while (rest.replaceAll(";", "").trim() !== "") {
    const match = ONE.exec(rest)?.[0];
    if (match === undefined || match === "") return false;
    rest = rest.slice(match.length);
  }
  return true;
}

/** Are there none of the signs between brackets that an expression may end with? */
function hasPlainBrackets(text: string): boolean {
  for (let at = text.indexOf("["); at !== -1;) {
    const end = text.indexOf("]", at);
    if (end === -1) return true;
    if (/[/|#,@:~!%;\n]/u.test(text.slice(at, end))) return false;
    at = text.indexOf("[", end);
  }
  return true;
}
