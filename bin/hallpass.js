#!/usr/bin/env node
// The program, for those who start it as a module; all of it is in hallpass.cjs.

import { createRequire } from "node:module";

createRequire(import.meta.url)("./hallpass.cjs");
