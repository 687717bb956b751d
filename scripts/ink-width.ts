// Stands for `string-width`, which Ink asks, in the built program.

import { columns } from "../src/repl/columns.ts";

export default (text: string): number => columns(text.replaceAll(/\u001b\[[0-9;]*m/g, ""));
