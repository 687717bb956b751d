// Writes openapi.json from the routes' table. Run it with `npm run api:schema`; a test says when it is due.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openApiText } from "../src/server/openapi.ts";

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const { version } = JSON.parse(readFileSync(at("package.json"), "utf8")) as { readonly version: string };
writeFileSync(at("openapi.json"), openApiText(version));
console.log(`wrote ${at("openapi.json")}`);
