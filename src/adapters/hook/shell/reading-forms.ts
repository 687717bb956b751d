// Commands that read what they are given and write nothing but their output, or only speak: the forms of them that are understood.

import type { OptionTable } from "./options.ts";

export interface Form {
  readonly options: OptionTable;
  /** What the words that are no options are: files that are read, text, or an expression first and then files. */
  readonly words: "read" | "text" | "expression";
}

const read = (options: OptionTable): Form => ({ options, words: "read" });
const text = (options: OptionTable): Form => ({ options, words: "text" });
const expression = (options: OptionTable): Form => ({ options, words: "expression" });

const SUM = "-btzw --binary --text --tag --zero --help --version";
const GREP =
  "-# -abcEFGHhIiLlnoPqrsTUvVwxyZz -A# -B# -C# -m# -e~ -f< -d: -D: --include: --exclude: --exclude-dir: --color --colour --regexp~ --file< " +
  "--extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count " +
  "--files-with-matches --files-without-match --max-count# --only-matching --quiet --silent --no-messages --byte-offset --with-filename " +
  "--no-filename --label: --line-number --null --after-context# --before-context# --context# --text --binary --recursive --binary-files: --version --help";
const AWK = "-F: -v: -f! --field-separator: --assign: --version";

/** By name. What is not here, or an option that is not, is a doubt. Links are followed by no form of a search that is here. */
export const readingForms: Readonly<Record<string, Form>> = {
  cat: read("-AbeEnstTuv --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank --help --version"),
  head: read("-# -qvz -n# -c# --lines# --bytes# --quiet --silent --verbose --help --version"),
  tail: read(
    "-# -qvzfFr -n# -c# -s# --lines# --bytes# --quiet --silent --verbose --follow --retry --pid# --sleep-interval# --help --version",
  ),
  wc: read("-cmlLw --bytes --chars --lines --words --max-line-length --total --help --version"),
  nl: read("-p -b: -d: -f: -h: -i# -l# -n: -s: -v# -w#"),
  tac: read("-br -s:"),
  rev: read(""),
  cut: read("-zns -b: -c: -d: -f: --bytes: --characters: --delimiter: --fields: --only-delimited --complement --output-delimiter:"),
  paste: read("-sz -d: --serial --delimiters:"),
  fold: read("-bs -w# --width#"),
  fmt: read("-cstu -w# -# --width#"),
  column: read("-txeJ -s: -o: -c# -N: -R: --table --separator: --output-separator:"),
  expand: read("-i -t: --tabs:"),
  unexpand: read("-a -t: --tabs:"),
  comm: read("-123iz --check-order --nocheck-order --output-delimiter: --total"),
  join: read("-iz -1# -2# -a# -v# -e: -j# -o: -t:"),
  sort: read(
    "-bcCdfghiMmnRrsuVz -k: -t: -S: -o> -T> --key: --field-separator: --output> --unique --reverse --numeric-sort --human-numeric-sort --version-sort " +
      "--ignore-case --stable --check --parallel#",
  ),
  diff: read(
    "-# -abBdeEiNnpqstTuwyZ -U# -C# -W# -x: -I: -F: -L: --brief --unified --context --side-by-side --width# --color --label: --exclude: --ignore-all-space " +
      "--ignore-space-change --ignore-blank-lines --ignore-case --text --new-file --minimal --suppress-common-lines --report-identical-files --strip-trailing-cr " +
      "--from-file< --to-file< --no-dereference --recursive -r --speed-large-files",
  ),
  cmp: read("-bls -i: -n# --print-bytes --verbose --silent --quiet --bytes#"),
  stat: read("-LfltsxrqF -c: --format: --printf: --dereference --terse --file-system"),
  file: read("-bhikLNnprsz0 -F: --brief --mime --mime-type --mime-encoding --dereference --no-dereference"),
  ls: read(
    "-aABbcCdDfFgGhiklmnNopqQrRsStuUvxXZ1eOTW -w# --all --almost-all --author --human-readable --recursive --reverse --sort: --time: --color --classify " +
      "--directory --group-directories-first --full-time --ignore: --hide: --inode --no-group --numeric-uid-gid --size --si --time-style: --format: --file-type " +
      "--indicator-style: --width# --zero --help --version",
  ),
  tree: read(
    "-adfisughpDFCAnrtcUvSJX -L# -I: -P: -o> --dirsfirst --gitignore --noreport --filelimit# --prune --matchdirs --charset: --sort: --du --si --filesfirst",
  ),
  du: read(
    "-aAbcDhHgkmSsxr0l -d# -t: -B: --all --apparent-size --bytes --total --human-readable --max-depth# --summarize --separate-dirs --exclude: --si --time --threshold: --one-file-system",
  ),
  df: read("-ahHiklmPTxgIY -t: -B: --human-readable --total --type: --output --inodes --local"),
  md5sum: read(SUM),
  sha1sum: read(SUM),
  sha256sum: read(SUM),
  sha512sum: read(SUM),
  b2sum: read(SUM),
  cksum: read(SUM),
  md5: read("-qr"),
  shasum: read("-bt -a#"),
  base64: read("-dDi -w# --decode --wrap# --ignore-garbage"),
  base32: read("-di -w# --decode --wrap#"),
  od: read("-abcdfhiloszvx -A: -j: -N: -t: -w# -S#"),
  hexdump: read("-bcCdovx -n# -s: -e~"),
  strings: read("-afo -n# -t: -e: -#"),
  zcat: read("-fv"),
  bzcat: read(""),
  xzcat: read(""),
  realpath: read("-eLmPqsz --relative-to< --relative-base< --canonicalize-existing --canonicalize-missing --no-symlinks --strip"),
  readlink: read("-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline"),
  test: read("-bcdefghkLnOGNprSstuwxz -a -o +nt +ot +ef +eq +ne +lt +le +gt +ge"),
  bat: read("-Apnu -l: -r: -H: --plain --number --language: --line-range: --style: --color: --paging: --theme: --highlight-line:"),
  find: read(
    "-HPdsxX +name: +iname: +path: +ipath: +wholename: +iwholename: +regex: +iregex: +regextype: +type: +xtype: +maxdepth# +mindepth# +size: +mtime: +mmin: +atime: " +
      "+amin: +ctime: +cmin: +perm: +user: +group: +uid# +gid# +links# +inum# +printf: +newer< +anewer< +cnewer< +samefile< +newermt: +newerct: +newerat: +print " +
      "+print0 +ls +prune +empty +not +and +or -a -o +depth +xdev +mount +quit +true +false +readable +writable +executable +nouser +nogroup +daystart +noleaf +E",
  ),
  grep: expression(GREP),
  egrep: expression(GREP),
  fgrep: expression(GREP),
  zgrep: expression("-# -abcEFGHhIiLlnoPqsvwxZ -A# -B# -C# -m# -e~ -f<"),
  rg: expression(
    "-# -abcFHhiIlnNoPpqsSUuvVwxz0 -A# -B# -C# -m# -M# -d# -j# -e~ -f< -g: -t: -T: -r: -E: --color: --colors: --glob: --iglob: --type: --type-not: --type-list --files " +
      "--files-with-matches --files-without-match --count --count-matches --line-number --no-line-number --no-heading --heading --hidden --no-hidden --no-ignore " +
      "--no-ignore-vcs --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp --invert-match --multiline --multiline-dotall --only-matching " +
      "--replace: --regexp~ --file< --max-count# --max-columns# --max-depth# --max-filesize: --context# --after-context# --before-context# --json --stats --sort: --sortr: " +
      "--vimgrep --column --with-filename --no-filename --no-messages --null --quiet --pcre2 --trim --pretty --text --threads# --unrestricted --passthru --no-config --debug --version --help --one-file-system --no-follow --no-require-git",
  ),
  fd: expression(
    "-HIuasgFilp10 -d# -t: -e: -E: -c: --hidden --no-ignore --unrestricted --glob --regex --fixed-strings --type: --extension: --exclude: --max-depth# --min-depth# " +
      "--absolute-path --full-path --ignore-case --case-sensitive --max-results# --color: --list-details --print0 --size: --changed-within: --changed-before: --no-follow",
  ),
  jq: expression(
    "-nRsrjaSCMce +nr +rn --arg:: --argjson:: --slurpfile:< --rawfile:< --from-file! -f! --null-input --raw-input --slurp --raw-output --join-output --compact-output " +
      "--ascii-output --sort-keys --color-output --monochrome-output --tab --indent# --exit-status --version --help",
  ),
  awk: expression(AWK),
  gawk: expression(AWK),
  mawk: expression(AWK),
  basename: text("-az -s: --suffix: --multiple"),
  dirname: text("-z"),
  which: text("-as --all"),
  type: text("-afptP"),
  whereis: text("-bms"),
  tr: text("-cCdst --complement --delete --squeeze-repeats --truncate-set1"),
  seq: text("-w -# -f: -s: --equal-width --format: --separator:"),
  date: text(
    "-uRjn -d: -I -f< -r< -v: --date: --utc --universal --iso-8601 --rfc-3339: --rfc-email --file< --reference< +Iseconds +Idate +Iminutes +Ihours +Ins --help --version",
  ),
  sleep: text(""),
  pwd: text("-LP"),
  whoami: text("--version"),
  id: text("-agGnruzZ"),
  groups: text(""),
  uname: text("-asnrvmpio --all"),
  hostname: text("-adfiIsy"),
  uptime: text("-ps"),
  nproc: text("--all --ignore#"),
  arch: text(""),
  tty: text("-s"),
  times: text(""),
  umask: text("-pS"),
  jobs: text("-lnprs"),
  wait: text("-nf"),
  pgrep: text("-afilnoxvc -u: -P#"),
  free: text("-bkmghtw"),
  printenv: text("-0"),
  tput: text(""),
  clear: text("-x"),
  yes: text(""),
  true: text(""),
  false: text(""),
  ":": text(""),
  exit: text(""),
  // The patch is read by itself, out of the whole text of the command.
  apply_patch: text(""),
  applypatch: text(""),
  return: text(""),
  break: text(""),
  continue: text(""),
  shift: text(""),
};

/** These say or count whatever they are given: for them a dash begins no option. */
export const speakers: ReadonlySet<string> = new Set(["echo", "printf", "expr"]);

/** Their words open nothing even where they are a number that only running tells (`exit $?`). */
export const counters: ReadonlySet<string> = new Set(["echo", "printf", "exit", "return", "kill", "wait", ":", "sleep"]);
