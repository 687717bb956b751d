// perl asks the kernel for what Node has no way to ask for. It is on almost every machine; where it is not, we do without.

import { isTrusted } from "./machine.ts";

const PLACES = ["/usr/bin/perl", "/bin/perl", "/run/current-system/sw/bin/perl"];

/** Absolute; null where there is none that can be relied on. */
export const findPerl = (): string | null => (process.platform === "linux" ? (PLACES.find(isTrusted) ?? null) : null);
