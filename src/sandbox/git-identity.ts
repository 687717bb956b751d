// Who commits: of a person's git settings a command gets the name and the address, and nothing else.

import { readFileSync, statSync } from "node:fs";

/** The settings are read up to here. */
const MOST_BYTES = 256 * 1024;
const LONGEST = 200;

/** Settings of git with the person's name and address; null where neither is set. The first file that has one counts. */
export function gitIdentity(home: string): string | null {
  const identity: { name?: string | undefined; email?: string | undefined } = {};
  for (const file of [`${home}/.gitconfig`, `${home}/.config/git/config`]) {
    const { name, email } = identityIn(read(file));
    identity.name ??= name;
    identity.email ??= email;
  }
  const lines = Object.entries(identity).flatMap(([key, value]) => (value === undefined ? [] : [`\t${key} = ${quoteValue(value)}\n`]));
  return lines.length === 0 ? null : `[user]\n${lines.join("")}`;
}

function read(file: string): string {
  try {
    return statSync(file).size > MOST_BYTES ? "" : readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The last value in the section counts, as it does for git. What is written in an odd way is left out. */
export function identityIn(text: string): { readonly name?: string; readonly email?: string } {
  const identity: { name?: string; email?: string } = {};
  let isUser = false;
  for (const line of text.split("\n")) {
    const section = /^\s*\[([^\]]*)\]\s*$/.exec(line);
    if (section !== null) isUser = (section[1] ?? "").trim().toLowerCase() === "user";
    const setting = isUser ? /^\s*(name|email)\s*=(.*)$/i.exec(line) : null;
    if (setting === null) continue;
    const value = valueOf((setting[2] ?? "").trim());
    if (value === null) continue;
    if ((setting[1] ?? "").toLowerCase() === "name") identity.name = value;
    else identity.email = value;
  }
  return identity;
}

function valueOf(text: string): string | null {
  const value = /^"([^"\\]*)"$/.exec(text)?.[1] ?? (/["\\]/.test(text) ? "" : (text.split(/[#;]/)[0] ?? "").trim());
  // eslint-disable-next-line no-control-regex
  return value === "" || value.length > LONGEST || /[\u0000-\u001f\u007f]/.test(value) ? null : value;
}

const quoteValue = (value: string): string => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
