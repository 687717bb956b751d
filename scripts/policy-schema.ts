// Writes policy.schema.json from src/config/schema.ts. Run it with `npx tsx scripts/policy-schema.ts`; a test says when it is due.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { policySchemaText } from "../src/config/schema.ts";

const file = fileURLToPath(new URL("../policy.schema.json", import.meta.url));
writeFileSync(file, policySchemaText());
console.log(`wrote ${file}`);
