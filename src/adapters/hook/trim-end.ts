/** The text without the signs at its end that are among `signs`. An expression for it would take the square of a long row of them. */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
