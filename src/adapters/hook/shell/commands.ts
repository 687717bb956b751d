// What is known of commands by name: which only read, which write where, which run other commands. A command that is not listed is
// taken for a program of the project's: it may write wherever an argument leads.

/** Commands that read their arguments and write nothing but their output. */
export const readers: ReadonlySet<string> = new Set(
  (
    "cat head tail less more bat nl tac rev wc cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum sum md5 shasum file stat ls ll dir " +
    "vdir tree du df diff cmp comm join paste cut fold fmt column od xxd hexdump strings grep egrep fgrep rg ag ack find fd jq basename dirname " +
    "realpath readlink cd pushd test [ [[ zcat zgrep zless bzcat xzcat base64 base32 expand unexpand pr look which type whereis source . sed awk gawk mawk"
  ).split(" "),
);

/** Commands whose arguments are no paths at all. */
export const talkers: ReadonlySet<string> = new Set(
  (
    "echo printf true false : exit return break continue sleep seq date expr tr pwd whoami id uname hostname uptime kill wait jobs fg bg tput clear " +
    "yes nproc arch tty times umask shift"
  ).split(" "),
);

/** All arguments are written, in this way. */
export const writers: Readonly<Record<string, "create" | "replace" | "remove">> = {
  rm: "remove",
  rmdir: "remove",
  unlink: "remove",
  shred: "replace",
  touch: "replace",
  mkdir: "create",
  mkfifo: "create",
  mknod: "create",
  truncate: "replace",
  tee: "replace",
  chmod: "replace",
  chown: "replace",
  chgrp: "replace",
};

/** The last argument is written; `true`: the others are taken away from where they were. */
export const movers: Readonly<Record<string, boolean>> = { cp: false, mv: true, ln: false, install: false, rsync: false, link: false };

/** The first argument that is no option is an expression. */
export const expressions: ReadonlySet<string> = new Set("grep egrep fgrep rg ag ack zgrep jq sed awk gawk mawk".split(" "));

/** Commands that run the rest of their words as a command. */
export const carriers: ReadonlySet<string> = new Set(
  "command builtin exec nohup nice ionice time stdbuf setsid env timeout caffeinate".split(" "),
);

export const shells: ReadonlySet<string> = new Set("sh bash zsh dash ksh ash".split(" "));
export const isInterpreter = (name: string): boolean =>
  /^(?:python|pypy|perl|ruby|lua|php|node|nodejs|deno|bun|tclsh|wish|Rscript|R|osascript|pwsh|powershell|fish|csh|tcsh|ghci|irb|sqlite3|psql|mysql)[\d.]*$/u.test(
    name,
  );

/** Commands of which no text tells what they will do: they run something else, elsewhere, later, or as somebody else. */
export const opaque: ReadonlySet<string> = new Set(
  (
    "eval alias unalias popd dirs xargs parallel watch script expect screen tmux entr flock sudo doas su runuser pkexec ssh scp sftp docker podman nerdctl " +
    "kubectl chroot nsenter unshare setpriv systemd-run at batch crontab mount umount losetup strace ltrace gdb lldb trap enable hash shopt set coproc " +
    "socat nc ncat netcat bwrap firejail fusermount ed ex vi vim nvim nano emacs gvim busybox toybox mapfile readarray read getopts complete"
  ).split(" "),
);

/** Assigned, these change what later words mean, or run something of their own. */
export const powerful =
  /^(?:PATH|HOME|IFS|CDPATH|ENV|BASH_ENV|PWD|OLDPWD|SHELL|PROMPT_COMMAND|PS\d|LD_\w+|DYLD_\w+|NODE_OPTIONS|PYTHON\w*|PERL5\w+|RUBY\w+|GIT_\w+|EDITOR|VISUAL|PAGER)$/u;

/** Directories of the system's own programs, which may be run by their full name. */
export const isSystemProgram = (path: string): boolean =>
  /^(?:\/usr(?:\/local)?)?\/s?bin\/[\w.+-]+$|^\/opt\/homebrew\/bin\/[\w.+-]+$/u.test(path);

/** Devices that hold nothing. */
export const isIdleDevice = (path: string): boolean => /^\/dev\/(?:null|zero|stdin|stdout|stderr|full|random|urandom)$/u.test(path);
