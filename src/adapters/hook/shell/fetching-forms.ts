// curl and wget: the forms that are understood, and which addresses lead to another machine and nowhere else.

import type { OptionTable } from "./options.ts";

export const fetchingForms: Readonly<Record<string, OptionTable>> = {
  curl:
    "-sSfLkivIgGN012346 -X: -H@ -A@ -e@ -u: -U: -m# -x: -d@ -F@ -w@ -b< -o> -D> -c> -E^ -r: -y# -Y# --request: --header@ --user-agent@ --referer@ --user: --max-time# --connect-timeout# --retry# " +
    "--retry-delay# --retry-connrefused --data@ --data-raw: --data-binary@ --data-ascii@ --json@ --data-urlencode% --url-query% --form@ --write-out@ --cookie< --output> --dump-header> --cookie-jar> --silent --show-error --fail --fail-with-body " +
    "--location --insecure --include --verbose --head --get --compressed --http2 --no-buffer --oauth2-bearer: --cacert< --cert^ --key< --version --help --no-progress-meter --progress-bar",
  wget: "-qcSNvd -O> -P> -T# -t# -U: -o> -a> -i< --quiet --output-document> --directory-prefix> --timeout# --tries# --user-agent: --header: --post-data: --post-file< --method: --body-data: --body-file< --spider --no-verbose --continue --no-check-certificate --server-response --show-progress --version --help",
};

/** A web address, or a host without one: nothing in it that stands for several, or for a file. */
export const isPlainAddress = (text: string): boolean => /^(?:https?:\/\/)?[\w.-]+(?::\d+)?(?:[/?#][^\s{}[\]\\^`]*)?$/iu.test(text);

/**
 * The file of a value that curl encodes: `name@file`, the file after the first `@`; null where it is text. A `=` anywhere makes it text, and
 * anything at all may stand before the `@`.
 */
export function encodedFile(text: string): string | null {
  const at = text.indexOf("@");
  return text.includes("=") || at === -1 ? null : text.slice(at + 1);
}

/** The files that a value given to curl names: `@file`, `name@file`, `a=@one,two;headers=@three`, `a=<file`. Null: it cannot be told. */
export function dataFiles(text: string): readonly string[] | null {
  // `%output{file}` in what is said at the end.
  if (/%output|[=;,][@<]"[^"]*\\/u.test(text)) return null;
  const files = /^[^=@{[\s]*@(.+)$/su.exec(text)?.slice(1) ?? [];
  for (const { index } of text.matchAll(/[=;,"](?=[@<])/gu)) {
    const rest = text.slice(index + 2);
    files.push(rest, ...rest.split(/[;,"]/u).flatMap((piece) => [piece, piece.trim(), piece.replace(/^[^=]*=[@<]?/u, "")]));
  }
  if (/^[@<]/u.test(text)) files.push(...text.slice(1).split(/[;,"]/u));
  return [...new Set(files)];
}
