// The pages run under a policy that forbids code made from text. zod would try, once, and the browser would report it: it is told not to.
// INVARIANT: imported before anything that makes a schema.

import { z } from "zod";

z.config({ jitless: true });
