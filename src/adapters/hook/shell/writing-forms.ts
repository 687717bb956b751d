// Commands that write where they are told: the forms of them that are understood.

import type { OptionTable } from "./options.ts";

export interface WritingForm {
  readonly options: OptionTable;
  /** What is done with each word; `second`: the first is read and the others are written. */
  readonly each: "create" | "replace" | "remove" | "second";
}

export interface MovingForm {
  readonly options: OptionTable;
  /** Are the others taken away from where they were? */
  readonly takesAway: boolean;
}

export const writingForms: Readonly<Record<string, WritingForm>> = {
  rm: { options: "-rRfivdI --recursive --force --verbose --dir --interactive", each: "remove" },
  rmdir: { options: "-pv --parents --verbose --ignore-fail-on-non-empty", each: "remove" },
  unlink: { options: "", each: "remove" },
  mkdir: { options: "-pv -m: --parents --verbose --mode:", each: "create" },
  mkfifo: { options: "-m:", each: "create" },
  touch: { options: "-acmhf -d: -t: -r< --no-create --date: --reference< --no-dereference", each: "replace" },
  truncate: { options: "-co -s: -r< --no-create --size: --reference<", each: "replace" },
  tee: { options: "-aip --append --ignore-interrupts", each: "replace" },
  // The mode is judged as a name too, which it is in nobody's way.
  chmod: { options: "-RvcfrwxXstugoa --recursive --verbose --changes --silent --quiet --reference<", each: "replace" },
  chown: { options: "-Rvcfh --recursive --verbose --changes --silent --quiet --reference<", each: "replace" },
  chgrp: { options: "-Rvcfh --recursive --verbose --changes --silent --quiet --reference<", each: "replace" },
  uniq: { options: "-cdDiuz -f# -s# -w# --count --repeated --unique --ignore-case --skip-fields# --skip-chars#", each: "second" },
  xxd: { options: "-abceEipruv -l# -c# -g# -s: -o: +ps", each: "second" },
  gzip: { options: "-cfklnqtv123456789 --best --fast --keep --stdout --force --list --test", each: "replace" },
};

export const movingForms: Readonly<Record<string, MovingForm>> = {
  cp: {
    options:
      "-adfilnpPrRTuvx --archive --recursive --force --interactive --no-clobber --preserve --no-dereference --update --verbose --parents --no-target-directory",
    takesAway: false,
  },
  mv: { options: "-finTuv --force --interactive --no-clobber --update --verbose --no-target-directory", takesAway: true },
  ln: { options: "-sfinrvTh --symbolic --force --no-dereference --relative --verbose --no-target-directory", takesAway: false },
  link: { options: "", takesAway: false },
  install: { options: "-cDpsv -m: -g: --mode: --preserve-timestamps --verbose", takesAway: false },
  rsync: {
    options:
      "-avrzhnPtpoglDuiqcm --archive --verbose --recursive --delete --dry-run --progress --stats --exclude: --include: --update --checksum --compress",
    takesAway: false,
  },
};
