// curl and wget: the forms that are understood, and which addresses lead to another machine and nowhere else.

import type { OptionTable } from "./options.ts";

export const fetchingForms: Readonly<Record<string, OptionTable>> = {
  curl:
    "-sSfLkivIgGN012346 -X: -H@ -A@ -e@ -u: -U: -m# -x: -d@ -F@ -w@ -b< -o> -D> -c> -E< -r: -y# -Y# --request: --header@ --user-agent@ --referer@ --user: --max-time# --connect-timeout# --retry# " +
    "--retry-delay# --retry-connrefused --data@ --data-raw: --data-binary@ --data-ascii@ --json@ --form@ --write-out@ --cookie< --output> --dump-header> --cookie-jar> --silent --show-error --fail --fail-with-body " +
    "--location --insecure --include --verbose --head --get --compressed --http2 --no-buffer --oauth2-bearer: --cacert< --cert< --key< --version --help --no-progress-meter --progress-bar",
  wget: "-qcSNvd -O> -P> -T# -t# -U: -o> -a> -i< --quiet --output-document> --directory-prefix> --timeout# --tries# --user-agent: --header: --post-data: --post-file< --method: --body-data: --body-file< --spider --no-verbose --continue --no-check-certificate --server-response --show-progress --version --help",
};

/** A web address, or a host without one: nothing in it that stands for several, or for a file. */
export const isPlainAddress = (text: string): boolean => /^(?:https?:\/\/)?[\w.-]+(?::\d+)?(?:[/?#][^\s{}[\]\\^`]*)?$/iu.test(text);
