// Before each file of tests: a property stops in time to say its seed. One that fails looks for a smaller example as long as there is one, and
// would be cut off by the test's own limit before it has said anything. One that is not through by then has failed too: fewer cases than it
// asks for would pass unnoticed.

import fc from "fast-check";

/** Milliseconds; half of what a test may take. */
export const PROPERTY_LIMIT = 60_000;

fc.configureGlobal({ interruptAfterTimeLimit: PROPERTY_LIMIT, markInterruptAsFailure: true });
