// Colour for people at a terminal, none for pipes, files and whoever asked for none.

export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly red: (text: string) => string;
}

export function paintFor(stream: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): Paint {
  const forced = env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "" && env["FORCE_COLOR"] !== "0";
  const isColoured = forced || (stream.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb");
  const paint = (open: number, close: number) => (text: string) => (isColoured ? `\u001b[${open}m${text}\u001b[${close}m` : text);
  return { bold: paint(1, 22), dim: paint(2, 22), green: paint(32, 39), yellow: paint(33, 39), red: paint(31, 39) };
}

/** Is colour wanted on this stream? */
export function colourFor(stream: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): boolean {
  return paintFor(stream, env).bold("x") !== "x";
}
