// How tools take a path: a string of any content, since judging it is the guard's business and a schema that trims or rewrites
// would be a second reader of it.

import { z } from "zod";

export const pathInput = z.string().min(1).describe("Absolute, or relative to the workspace");
