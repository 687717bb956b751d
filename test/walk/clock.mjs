// Loaded before a program of the walk (`--import`): its clock goes as the walk says, by a file that holds how many milliseconds have passed.

import { readFileSync } from "node:fs";

const now = Date.now;
const file = process.env["WALK_CLOCK"];
if (file !== undefined) Date.now = () => now() + Number(readFileSync(file, "utf8"));
