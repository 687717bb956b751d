// hallpass uninstall <host>: the same words as install, taken back.

export { uninstall } from "./install.ts";
