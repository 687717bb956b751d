// git, by subcommand: the forms that are understood. A subcommand that is not here may be an alias, which may be any command.

import type { OptionTable } from "./options.ts";

/** Before the subcommand. Settings (`-c`), another repository or another place for git's own programs are not understood. */
export const gitOptions: OptionTable = "-P -C/ --no-pager --no-optional-locks --literal-pathspecs --no-replace-objects --version --help";

const DIFF =
  "-pPuUabBwzRMDqsrtc -U# -M -C -S: -G: -O< -l# --stat --shortstat --numstat --dirstat --summary --patch --no-patch --patch-with-stat --raw --name-only --name-status " +
  "--color --no-color --color-words --word-diff --word-diff-regex: --cached --staged --merge-base --diff-filter: --find-renames --find-copies --no-renames --ignore-all-space " +
  "--ignore-space-change --ignore-blank-lines --ignore-space-at-eol --unified: --function-context --minimal --patience --histogram --diff-algorithm: --exit-code --quiet --check " +
  "--binary --full-index --abbrev --text --relative --no-prefix --src-prefix: --dst-prefix: --output> --no-index --no-ext-diff --no-textconv --submodule --compact-summary --inter-hunk-context: --pickaxe-regex --pickaxe-all";
const LOG =
  `${DIFF} -# -n# -i -E -F -L/ -g --oneline --graph --all --decorate --no-decorate --format: --pretty --abbrev-commit --no-abbrev-commit --date: --since: --after: --until: ` +
  "--before: --author: --committer: --grep: --invert-grep --all-match --regexp-ignore-case --max-count# --skip# --merges --no-merges --first-parent --reverse --follow " +
  "--topo-order --date-order --branches --tags --remotes --left-right --cherry-pick --cherry-mark --cherry --full-history --simplify-merges --ancestry-path --source --walk-reflogs --no-walk --show-signature --no-notes --name-only --full-diff --left-only --right-only --boundary --count --parents --children";

/** Undefined: not understood. `/` is for `-L1,20:file`, whose end is a path. */
export const gitForms: Readonly<Record<string, OptionTable>> = {
  status:
    "-sbuvz --short --branch --porcelain --long --verbose --untracked-files --ignored --column --no-column --ahead-behind --no-renames --renames --show-stash --ignore-submodules",
  diff: DIFF,
  log: LOG,
  show: LOG,
  shortlog: `${LOG} -sneh --summary --numbered --email --group:`,
  reflog: LOG,
  whatchanged: LOG,
  "rev-list": LOG,
  "range-diff": DIFF,
  "diff-tree": `${DIFF} -m --root --no-commit-id`,
  "rev-parse":
    "-q --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --abbrev-ref --short --verify --quiet --symbolic-full-name --symbolic --all --branches --tags --remotes",
  branch:
    "-avrqdDmMlfi --all --remotes --list --show-current --verbose --delete --move --force --contains --no-contains --merged --no-merged --sort: --format: --points-at --color --no-color --column --track --no-track -u: --set-upstream-to: --unset-upstream --ignore-case",
  tag: "-aldnfsv -m~ --message~ --list --annotate --delete --sort: --format: --contains --merged --no-merged --points-at --force --verify --column",
  remote: "-vf -t: -m: --verbose --push --all --delete --dry-run",
  "ls-files":
    "-cdmoiskuvtz -x: --cached --deleted --modified --others --ignored --stage --exclude-standard --exclude: --error-unmatch --full-name --unmerged --directory --eol --deduplicate",
  "ls-tree": "-drtlz --name-only --name-status --full-name --full-tree --long --abbrev --object-only --format:",
  "ls-remote": "-htqd --heads --tags --refs --quiet --get-url --symref --exit-code --sort: --branches",
  "cat-file": "-pets",
  "show-ref": "-qds --heads --tags --verify --quiet --hash --abbrev --head --branches",
  "for-each-ref": "--format: --sort: --count# --contains --merged --no-merged --points-at",
  "merge-base": "-a --all --is-ancestor --fork-point --octopus --independent",
  "name-rev": "--tags --name-only --refs: --all --always",
  describe: "--all --tags --long --always --abbrev --dirty --exact-match --match: --exclude: --contains --first-parent --candidates#",
  blame:
    "-befltswpc -L: -M -C --line-porcelain --porcelain --date: --since: --show-email --show-name --show-number --color-lines --abbrev --ignore-rev: --root",
  grep: "-# -iInlLcwvEFGPHhqpWazr -A# -B# -C# -m# -e~ -f< --line-number --ignore-case --count --files-with-matches --name-only --files-without-match --cached --untracked --heading --break --no-index --extended-regexp --fixed-strings --perl-regexp --word-regexp --and --or --not --all-match --show-function --function-context --color --no-color --max-depth# --recursive --column --only-matching -o --full-name --exclude-standard --no-exclude-standard",
  add: "-AnvufiNep --all --update --dry-run --verbose --force --intent-to-add --patch --interactive --ignore-errors --no-all --renormalize --refresh --chmod:",
  commit:
    "-aqvnseopz -m~ -F< -C: -c: -t< --message~ --file< --all --amend --no-edit --no-verify --signoff --quiet --verbose --dry-run --allow-empty --allow-empty-message --author: --date: --fixup: --squash: --reuse-message: --template< --reset-author --only --include --no-gpg-sign --short --porcelain --no-post-rewrite --trailer: --cleanup:",
  checkout:
    "-b: -B: -qftpdlm --quiet --force --track --no-track --detach --orphan: --ours --theirs --merge --patch --guess --no-guess --progress --overlay --no-overlay",
  switch:
    "-c: -C: -dqftm --create: --force-create: --detach --quiet --force --track --no-track --guess --discard-changes --orphan: --merge",
  restore:
    "-s: -WSqpm --source: --staged --worktree --quiet --ours --theirs --patch --progress --overlay --no-overlay --merge --ignore-unmerged",
  reset: "-qpN --soft --mixed --hard --merge --keep --quiet --patch --no-refresh",
  stash:
    "-pkuaqSnvU -m~ --message~ --keep-index --no-keep-index --include-untracked --only-untracked --all --quiet --patch --staged --index --stat --name-only --oneline",
  fetch:
    "-apqtfvnk --all --prune --tags --no-tags --quiet --force --verbose --depth# --unshallow --deepen# --dry-run --jobs# -j# --append --progress --prune-tags --recurse-submodules --no-recurse-submodules",
  pull: "-rqvfnt --rebase --no-rebase --ff --ff-only --no-ff --quiet --verbose --tags --autostash --no-autostash --all --prune --depth# --no-edit --no-commit --squash --no-tags --allow-unrelated-histories --progress",
  push: "-ufqvnd --set-upstream --force --force-with-lease --force-if-includes --quiet --verbose --dry-run --tags --follow-tags --all --delete --no-verify --porcelain --atomic --prune --progress",
  merge:
    "-qvn -m~ -s: -X: --ff --no-ff --ff-only --squash --no-commit --commit --no-edit --abort --continue --quit --quiet --verbose --stat --no-stat --strategy: --strategy-option: --allow-unrelated-histories --autostash --no-verify --message~",
  rebase:
    "-qvfip -s: -X: --onto: --continue --abort --skip --quit --interactive --autosquash --no-autosquash --autostash --root --keep-empty --rebase-merges --quiet --verbose --update-refs --strategy: --strategy-option: --no-verify --show-current-patch --committer-date-is-author-date",
  "cherry-pick":
    "-xens -m# -X: --continue --abort --skip --quit --no-commit --signoff --mainline# --allow-empty --ff --strategy: --strategy-option: --keep-redundant-commits",
  revert: "-ens -m# --continue --abort --skip --quit --no-commit --no-edit --signoff --mainline#",
  clean: "-dfnqxXi -e: --dry-run --force --exclude: --quiet",
  rm: "-rfnq --cached --force --dry-run --quiet --ignore-unmatch",
  mv: "-fknv --force --dry-run --verbose",
  init: "-q -b: --quiet --initial-branch: --bare",
  clone:
    "-qvnls -b: -o: --depth# --branch: --single-branch --no-single-branch --quiet --verbose --no-checkout --recursive --recurse-submodules --shallow-submodules --bare --mirror --origin: --filter: --sparse --no-tags --jobs# -j# --progress --shallow-since:",
  worktree: "-b: -B: -dfnqv --detach --force --checkout --no-checkout --lock --porcelain --dry-run --verbose --expire: --quiet --track",
  "count-objects": "-vH --verbose --human-readable",
  fsck: "--full --no-dangling --unreachable --connectivity-only --verbose",
  gc: "-q --auto --aggressive --prune --quiet",
  "check-ignore": "-qvzn --quiet --verbose --no-index --non-matching",
  version: "--build-options",
  help: "-a --all",
};

/** Of `git config`: these only look. */
export const gitConfigReads: ReadonlySet<string> = new Set(
  "--get --get-all --get-regexp --get-urlmatch --list -l list get --name-only --show-origin --show-scope -z --null --show-names".split(" "),
);
