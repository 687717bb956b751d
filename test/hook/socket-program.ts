// The hook socket as a process that can be killed: `tsx test/hook/socket-program.ts <data directory> <home> <grant…>`. Says its port.

import { startSocket } from "./socket-server.ts";

const [, , data = "", home = "", ...grants] = process.argv;
const { port } = await startSocket({ data, home, grants });
process.stdout.write(`${port}\n`);
