// The hook's door as a process that can be killed: `tsx test/hook/door-program.ts <data directory> <home> <grant…>`. Says its port.

import { startDoor } from "./door-server.ts";

const [, , data = "", home = "", ...grants] = process.argv;
const { port } = await startDoor({ data, home, grants });
process.stdout.write(`${port}\n`);
