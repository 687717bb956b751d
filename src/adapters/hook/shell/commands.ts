// Every command whose forms are read here, as a table. A command that has no row, or an option that its row does not have, is a doubt: nothing
// is guessed. A row says what the words are that are no options, the names it holds for, and the options that are understood, in the signs that
// options.ts explains.
//
// read            files that are read; links are followed by no form of a search that is here
// expression      an expression, and then files that are read
// text            nothing that is opened (a patch for `apply_patch` is read by itself, out of the whole text of the command)
// create, replace, remove
//                 files that are made, written (the mode of `chmod` is judged as one, which is in nobody's way), taken away
// output          files that are written through: what is there stays there
// second          a file that is read, and then one that is written
// copy, move      what is put where the last word says; `move` takes it away from where it was
// fetch           addresses
// carry           a command that is run: with `NAME=value` before it (carry-assigned), behind a word of its own (carry-second), or by a name that
//                 may be a program somewhere else (carry-fetched)
// lead            the options that may stand before the word that makes it one of those: `pnpm -r exec`
// shell           a program that is a file or on the input; with `-c`, a command
// git             by subcommand; one that has no row may be an alias, which may be any command. Settings (`-c`), another repository or another place
//                 for git's own programs are not understood. `/` is for `-L1,20:file`, whose end is a path

import type { OptionTable } from "./options.ts";

const DIFF =
  "-pPuUabBwzRMDqsrtc -U# -M -C -S: -G: -O< -l# --stat --shortstat --numstat --dirstat --summary --patch --no-patch --patch-with-stat --raw --name-only --name-status --color --no-color --color-words --word-diff --word-diff-regex: --cached --staged --merge-base --diff-filter: --find-renames --find-copies --no-renames --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol --unified: --function-context --minimal --patience --histogram --diff-algorithm: --exit-code --quiet --check --binary --full-index --abbrev --text --relative --no-prefix --src-prefix: --dst-prefix: --output> --no-index --no-ext-diff --no-textconv --submodule --compact-summary --inter-hunk-context: --pickaxe-regex --pickaxe-all";
const LOG = `${DIFF} -# -n# -i -E -F -L/ -g --oneline --graph --all --decorate --no-decorate --format: --pretty --abbrev-commit --no-abbrev-commit --date: --since: --after: --until: --before: --author: --committer: --grep: --invert-grep --all-match --regexp-ignore-case --max-count# --skip# --merges --no-merges --first-parent --reverse --follow --topo-order --date-order --branches --tags --remotes --left-right --cherry-pick --cherry-mark --cherry --full-history --simplify-merges --ancestry-path --source --walk-reflogs --no-walk --show-signature --no-notes --name-only --full-diff --left-only --right-only --boundary --count --parents --children`;

const TABLE = `
read | cat | -AbeEnstTuv --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank --help --version
read | head | -# -qvz -n# -c# --lines# --bytes# --quiet --silent --verbose --help --version
read | tail | -# -qvzfFr -n# -c# -s# --lines# --bytes# --quiet --silent --verbose --follow --retry --pid# --sleep-interval# --help --version
read | wc | -cmlLw --bytes --chars --lines --words --max-line-length --total --help --version
read | nl | -p -b: -d: -f: -h: -i# -l# -n: -s: -v# -w#
read | tac | -br -s:
read | rev, bzcat, xzcat |
read | cut | -zns -b: -c: -d: -f: --bytes: --characters: --delimiter: --fields: --only-delimited --complement --output-delimiter:
read | paste | -sz -d: --serial --delimiters:
read | fold | -bs -w# --width#
read | fmt | -cstu -w# -# --width#
read | column | -txeJ -s: -o: -c# -N: -R: --table --separator: --output-separator:
read | expand | -i -t: --tabs:
read | unexpand | -a -t: --tabs:
read | comm | -123iz --check-order --nocheck-order --output-delimiter: --total
read | join | -iz -1# -2# -a# -v# -e: -j# -o: -t:
read | sort | -bcCdfghiMmnRrsuVz -k: -t: -S: -o> -T> --key: --field-separator: --output> --unique --reverse --numeric-sort --human-numeric-sort --version-sort --ignore-case --stable --check --parallel#
read | diff | -# -abBdeEiNnpqstTuwyZ -U# -C# -W# -x: -I: -F: -L: --brief --unified --context --side-by-side --width# --color --label: --exclude: --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --text --new-file --minimal --suppress-common-lines --report-identical-files --strip-trailing-cr --from-file< --to-file< --no-dereference --recursive -r --speed-large-files
read | cmp | -bls -i: -n# --print-bytes --verbose --silent --quiet --bytes#
read | stat | -LfltsxrqF -c: --format: --printf: --dereference --terse --file-system
read | file | -bhikLNnprsz0 -F: --brief --mime --mime-type --mime-encoding --dereference --no-dereference
read | ls | -aABbcCdDfFgGhiklmnNopqQrRsStuUvxXZ1eOTW -w# --all --almost-all --author --human-readable --recursive --reverse --sort: --time: --color --classify --directory --group-directories-first --full-time --ignore: --hide: --inode --no-group --numeric-uid-gid --size --si --time-style: --format: --file-type --indicator-style: --width# --zero --help --version
read | tree | -adfisughpDFCAnrtcUvSJX -L# -I: -P: -o> --dirsfirst --gitignore --noreport --filelimit# --prune --matchdirs --charset: --sort: --du --si --filesfirst
read | du | -aAbcDhHgkmSsxr0l -d# -t: -B: --all --apparent-size --bytes --total --human-readable --max-depth# --summarize --separate-dirs --exclude: --si --time --threshold: --one-file-system
read | df | -ahHiklmPTxgIY -t: -B: --human-readable --total --type: --output --inodes --local
read | md5sum, sha1sum, sha256sum, sha512sum, b2sum, cksum | -btzw --binary --text --tag --zero --help --version
read | md5 | -qr
read | man | -afkw --help --version
read | shasum | -bt -a#
read | base64 | -dDi -w# --decode --wrap# --ignore-garbage
read | base32 | -di -w# --decode --wrap#
read | od | -abcdfhiloszvx -A: -j: -N: -t: -w# -S#
read | hexdump | -bcCdovx -n# -s: -e~
read | strings | -afo -n# -t: -e: -#
read | zcat | -fv
read | realpath | -eLmPqsz --relative-to< --relative-base< --canonicalize-existing --canonicalize-missing --no-symlinks --strip
read | readlink | -efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline
read | test | -bcdefghkLnOGNprSstuwxz -a -o +nt +ot +ef +eq +ne +lt +le +gt +ge
read | bat | -Apnu -l: -r: -H: --plain --number --language: --line-range: --style: --color: --paging: --theme: --highlight-line:
read | find | -HPdsxX +name: +iname: +path: +ipath: +wholename: +iwholename: +regex: +iregex: +regextype: +type: +xtype: +maxdepth# +mindepth# +size: +mtime: +mmin: +atime: +amin: +ctime: +cmin: +perm: +user: +group: +uid# +gid# +links# +inum# +printf: +newer< +anewer< +cnewer< +samefile< +newermt: +newerct: +newerat: +print +print0 +ls +prune +empty +not +and +or -a -o +depth +xdev +mount +quit +true +false +readable +writable +executable +nouser +nogroup +daystart +noleaf +E
read | tar | -ctvzjJap -f> -C/ --create --list --verbose --gzip --bzip2 --xz --zstd --auto-compress --file> --directory/ --exclude: --exclude-vcs --strip-components# --version --help
expression | grep, egrep, fgrep | -# -abcEFGHhIiLlnoPqrsTUvVwxyZz -A# -B# -C# -m# -e~ -f< -d: -D: --include: --exclude: --exclude-dir: --color --colour --regexp~ --file< --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches --files-without-match --max-count# --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label: --line-number --null --after-context# --before-context# --context# --text --binary --recursive --binary-files: --version --help
expression | zgrep | -# -abcEFGHhIiLlnoPqsvwxZ -A# -B# -C# -m# -e~ -f<
expression | rg | -# -abcFHhiIlnNoPpqsSUuvVwxz0 -A# -B# -C# -m# -M# -d# -j# -e~ -f< -g: -t: -T: -r: -E: --color: --colors: --glob: --iglob: --type: --type-not: --type-list --files --files-with-matches --files-without-match --count --count-matches --line-number --no-line-number --no-heading --heading --hidden --no-hidden --no-ignore --no-ignore-vcs --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp --invert-match --multiline --multiline-dotall --only-matching --replace: --regexp~ --file< --max-count# --max-columns# --max-depth# --max-filesize: --context# --after-context# --before-context# --json --stats --sort: --sortr: --vimgrep --column --with-filename --no-filename --no-messages --null --quiet --pcre2 --trim --pretty --text --threads# --unrestricted --passthru --no-config --debug --version --help --one-file-system --no-follow --no-require-git
expression | fd | -HIuasgFilp10 -d# -t: -e: -E: -c: --hidden --no-ignore --unrestricted --glob --regex --fixed-strings --type: --extension: --exclude: --max-depth# --min-depth# --absolute-path --full-path --ignore-case --case-sensitive --max-results# --color: --list-details --print0 --size: --changed-within: --changed-before: --no-follow
expression | jq | -nRsrjaSCMce +nr +rn --arg:: --argjson:: --slurpfile:< --rawfile:< --from-file! -f! --null-input --raw-input --slurp --raw-output --join-output --compact-output --ascii-output --sort-keys --color-output --monochrome-output --tab --indent# --exit-status --version --help
expression | awk, gawk, mawk | -F: -v: -f! --field-separator: --assign: --version
expression | sed | -nErsuz -e~ -f! -l# --expression~ --file! --quiet --silent --regexp-extended --null-data --separate --debug --posix --sandbox --version --help
text | basename | -az -s: --suffix: --multiple
text | dirname | -z
text | which | -as --all
text | type | -afptP
text | whereis | -bms
text | tr | -cCdst --complement --delete --squeeze-repeats --truncate-set1
text | seq | -w -# -f: -s: --equal-width --format: --separator:
text | date | -uRjn -d: -I -f< -r< -v: --date: --utc --universal --iso-8601 --rfc-3339: --rfc-email --file< --reference< +Iseconds +Idate +Iminutes +Ihours +Ins --help --version
text | sleep, groups, arch, times, tput, yes, true, false, :, exit, apply_patch, applypatch, return, break, continue, shift |
text | pwd | -LP
text | whoami | --version
text | id | -agGnruzZ
text | uname | -asnrvmpio --all
text | hostname | -adfiIsy
text | uptime | -ps
text | nproc | --all --ignore#
text | tty | -s
text | umask | -pS
text | jobs | -lnprs
text | wait | -nf
text | pgrep | -afilnoxvc -u: -P#
text | ps | -AaefFHlLTwjxuZ -p: -o: -u: -U: -C: --sort: --no-headers --forest --pid: --ppid:
text | free | -bkmghtw
text | printenv | -0
text | clear | -x
remove | rm | -rRfivdI --recursive --force --verbose --dir --interactive
remove | rmdir | -pv --parents --verbose --ignore-fail-on-non-empty
remove | unlink |
create | mkdir | -pv -m: --parents --verbose --mode:
create | mkfifo | -m:
replace | touch | -acmhf -d: -t: -r< --no-create --date: --reference< --no-dereference
replace | truncate | -co -s: -r< --no-create --size: --reference<
replace | chmod | -RvcfrwxXstugoa --recursive --verbose --changes --silent --quiet --reference<
replace | chown, chgrp | -Rvcfh --recursive --verbose --changes --silent --quiet --reference<
replace | gzip | -cfklnqtv123456789 --best --fast --keep --stdout --force --list --test
output | tee | -aip --append --ignore-interrupts
second | uniq | -cdDiuz -f# -s# -w# --count --repeated --unique --ignore-case --skip-fields# --skip-chars#
second | xxd | -abceEipruv -l# -c# -g# -s: -o: +ps
copy | cp | -adfilnpPrRTuvx --archive --recursive --force --interactive --no-clobber --preserve --no-dereference --update --verbose --parents --no-target-directory
copy | ln | -sfinrvTh --symbolic --force --no-dereference --relative --verbose --no-target-directory
copy | link |
copy | install | -cDpsv -m: -g: --mode: --preserve-timestamps --verbose
copy | rsync | -avrzhnPtpoglDuiqcm --archive --verbose --recursive --delete --dry-run --progress --stats --exclude: --include: --update --checksum --compress
move | mv | -finTuv --force --interactive --no-clobber --update --verbose --no-target-directory
fetch | curl | -sSfLkivIgGN012346 -X: -H@ -A@ -e@ -u: -U: -m# -x: -d@ -F@ -w@ -b< -o> -D> -c> -E@ -r: -y# -Y# --request: --header@ --user-agent@ --referer@ --user: --max-time# --connect-timeout# --retry# --retry-delay# --retry-connrefused --data@ --data-raw: --data-binary@ --data-ascii@ --json@ --data-urlencode@ --url-query@ --form@ --write-out@ --cookie< --output> --dump-header> --cookie-jar> --silent --show-error --fail --fail-with-body --location --insecure --include --verbose --head --get --compressed --http2 --no-buffer --oauth2-bearer: --cacert< --cert@ --key< --version --help --no-progress-meter --progress-bar
fetch | wget | -qcSNvd -O> -P> -T# -t# -U: -o> -a> -i< --quiet --output-document> --directory-prefix> --timeout# --tries# --user-agent: --header: --post-data: --post-file< --method: --body-data: --body-file< --spider --no-verbose --continue --no-check-certificate --server-response --show-progress --version --help
carry | command, time | -p
carry | builtin, exec, nohup, yarn exec, bundle exec, pipenv run, hatch run |
carry | nice | -# -n# --adjustment#
carry | ionice | -t -c# -n#
carry | stdbuf | -i: -o: -e: --input: --output: --error:
carry | setsid | -cfw --wait --fork
carry | caffeinate | -disu -t#
carry | pnpm exec | -r --recursive
carry | uv run | -q --quiet --frozen --locked --no-sync --all-extras --dev --extra: --group: --python< -p< --with< --with-editable< --no-project --active --offline --isolated
carry | poetry run | -q --quiet
carry | pdm run | -q
carry-assigned | env | -i0v --ignore-environment --null --debug
carry-assigned | cross-env |
carry-second | timeout | -v -s: -k: --signal: --kill-after: --preserve-status --foreground --verbose
carry-second | rustup run | --install
carry-fetched | npx | -yq --yes --no --no-install --quiet -p< --package<
carry-fetched | bunx, pnpx, uvx, pnpm dlx, bun x |
carry-fetched | npm exec, npm x | -yq --yes --no -p< --package<
carry-fetched | yarn dlx | -q --quiet -p< --package<
lead | npm | -sw --silent --workspaces -w: --workspace: --include-workspace-root
lead | pnpm | -rws --recursive --silent --workspace-root --filter: -F:
lead | yarn | -s --silent
lead | uv | -q --quiet --offline
lead | poetry | -q --quiet -n --no-interaction
shell | sh, bash, dash, ksh, ash | -scilexuvnhmB -o: --norc --noprofile --posix --login --version --help
shell | zsh | -scilexuvnhmf -o: --norc --noprofile --posix --login --version --help
git | git status | -sbuvz --short --branch --porcelain --long --verbose --untracked-files --ignored --column --no-column --ahead-behind --no-renames --renames --show-stash --ignore-submodules
git | git diff, git range-diff | ${DIFF}
git | git log, git show, git reflog, git whatchanged, git rev-list | ${LOG}
git | git shortlog | ${LOG} -sneh --summary --numbered --email --group:
git | git diff-tree | ${DIFF} -m --root --no-commit-id
git | git rev-parse | -q --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --abbrev-ref --short --verify --quiet --symbolic-full-name --symbolic --all --branches --tags --remotes
git | git branch | -avrqdDmMlfi --all --remotes --list --show-current --verbose --delete --move --force --contains --no-contains --merged --no-merged --sort: --format: --points-at --color --no-color --column --track --no-track -u: --set-upstream-to: --unset-upstream --ignore-case
git | git tag | -aldnfsv -m~ --message~ --list --annotate --delete --sort: --format: --contains --merged --no-merged --points-at --force --verify --column
git | git remote | -vf -t: -m: --verbose --push --all --delete --dry-run
git | git ls-files | -cdmoiskuvtz -x: --cached --deleted --modified --others --ignored --stage --exclude-standard --exclude: --error-unmatch --full-name --unmerged --directory --eol --deduplicate
git | git ls-tree | -drtlz --name-only --name-status --full-name --full-tree --long --abbrev --object-only --format:
git | git ls-remote | -htqd --heads --tags --refs --quiet --get-url --symref --exit-code --sort: --branches
git | git cat-file | -pets
git | git show-ref | -qds --heads --tags --verify --quiet --hash --abbrev --head --branches
git | git for-each-ref | --format: --sort: --count# --contains --merged --no-merged --points-at
git | git merge-base | -a --all --is-ancestor --fork-point --octopus --independent
git | git name-rev | --tags --name-only --refs: --all --always
git | git describe | --all --tags --long --always --abbrev --dirty --exact-match --match: --exclude: --contains --first-parent --candidates#
git | git blame | -befltswpc -L: -M -C --line-porcelain --porcelain --date: --since: --show-email --show-name --show-number --color-lines --abbrev --ignore-rev: --root
git | git grep | -# -iInlLcwvEFGPHhqpWazr -A# -B# -C# -m# -e~ -f< --line-number --ignore-case --count --files-with-matches --name-only --files-without-match --cached --untracked --heading --break --no-index --extended-regexp --fixed-strings --perl-regexp --word-regexp --and --or --not --all-match --show-function --function-context --color --no-color --max-depth# --recursive --column --only-matching -o --full-name --exclude-standard --no-exclude-standard
git | git add | -AnvufiNep --all --update --dry-run --verbose --force --intent-to-add --patch --interactive --ignore-errors --no-all --renormalize --refresh --chmod:
git | git commit | -aqvnseopz -m~ -F< -C: -c: -t< --message~ --file< --all --amend --no-edit --no-verify --signoff --quiet --verbose --dry-run --allow-empty --allow-empty-message --author: --date: --fixup: --squash: --reuse-message: --template< --reset-author --only --include --no-gpg-sign --short --porcelain --no-post-rewrite --trailer: --cleanup:
git | git checkout | -b: -B: -qftpdlm --quiet --force --track --no-track --detach --orphan: --ours --theirs --merge --patch --guess --no-guess --progress --overlay --no-overlay
git | git switch | -c: -C: -dqftm --create: --force-create: --detach --quiet --force --track --no-track --guess --discard-changes --orphan: --merge
git | git restore | -s: -WSqpm --source: --staged --worktree --quiet --ours --theirs --patch --progress --overlay --no-overlay --merge --ignore-unmerged
git | git reset | -qpN --soft --mixed --hard --merge --keep --quiet --patch --no-refresh
git | git stash | -pkuaqSnvU -m~ --message~ --keep-index --no-keep-index --include-untracked --only-untracked --all --quiet --patch --staged --index --stat --name-only --oneline
git | git fetch | -apqtfvnk --all --prune --tags --no-tags --quiet --force --verbose --depth# --unshallow --deepen# --dry-run --jobs# -j# --append --progress --prune-tags --recurse-submodules --no-recurse-submodules
git | git pull | -rqvfnt --rebase --no-rebase --ff --ff-only --no-ff --quiet --verbose --tags --autostash --no-autostash --all --prune --depth# --no-edit --no-commit --squash --no-tags --allow-unrelated-histories --progress
git | git push | -ufqvnd --set-upstream --force --force-with-lease --force-if-includes --quiet --verbose --dry-run --tags --follow-tags --all --delete --no-verify --porcelain --atomic --prune --progress
git | git merge | -qvn -m~ -s: -X: --ff --no-ff --ff-only --squash --no-commit --commit --no-edit --abort --continue --quit --quiet --verbose --stat --no-stat --strategy: --strategy-option: --allow-unrelated-histories --autostash --no-verify --message~
git | git rebase | -qvfip -s: -X: --onto: --continue --abort --skip --quit --interactive --autosquash --no-autosquash --autostash --root --keep-empty --rebase-merges --quiet --verbose --update-refs --strategy: --strategy-option: --no-verify --show-current-patch --committer-date-is-author-date
git | git cherry-pick | -xens -m# -X: --continue --abort --skip --quit --no-commit --signoff --mainline# --allow-empty --ff --strategy: --strategy-option: --keep-redundant-commits
git | git revert | -ens -m# --continue --abort --skip --quit --no-commit --no-edit --signoff --mainline#
git | git clean | -dfnqxXi -e: --dry-run --force --exclude: --quiet
git | git rm | -rfnq --cached --force --dry-run --quiet --ignore-unmatch
git | git mv | -fknv --force --dry-run --verbose
git | git init | -q -b: --quiet --initial-branch: --bare
git | git clone | -qvnls -b: -o: --depth# --branch: --single-branch --no-single-branch --quiet --verbose --no-checkout --recursive --recurse-submodules --shallow-submodules --bare --mirror --origin: --filter: --sparse --no-tags --jobs# -j# --progress --shallow-since:
git | git worktree | -b: -B: -dfnqv --detach --force --checkout --no-checkout --lock --porcelain --dry-run --verbose --expire: --quiet --track
git | git count-objects | -vH --verbose --human-readable
git | git fsck | --full --no-dangling --unreachable --connectivity-only --verbose
git | git gc | -q --auto --aggressive --prune --quiet
git | git check-ignore | -qvzn --quiet --verbose --no-index --non-matching
git | git version | --build-options
git | git help | -a --all
git | git | -P -C/ --no-pager --no-optional-locks --literal-pathspecs --no-replace-objects --version --help
`;

export interface CommandForm {
  readonly role: string;
  readonly options: OptionTable;
}

/** By name; of git by `git` and the subcommand. */
export const commandForms: ReadonlyMap<string, CommandForm> = new Map(
  TABLE.trim()
    .split("\n")
    .flatMap((row) => {
      const [role = "", names = "", options = ""] = row.split("|").map((cell) => cell.trim());
      return names.split(", ").map((name) => [name, { role, options }] as const);
    }),
);

/** These say or count whatever they are given: for them a dash begins no option. */
export const speakers: ReadonlySet<string> = new Set(["echo", "printf", "expr"]);

/** Their words open nothing even where they are a number that only running tells (`exit $?`). */
export const counters: ReadonlySet<string> = new Set(["echo", "printf", "exit", "return", "kill", "wait", ":", "sleep"]);
