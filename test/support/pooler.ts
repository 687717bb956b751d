// A pooler in transaction mode before PostgreSQL, as PgBouncer is one: clients share a few connections to the server, and a client has one of
// them for as long as a transaction takes. It reads as much of the protocol as that needs.

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface Pooler {
  /** The address of the same database, through the pooler. */
  readonly url: string;
  end(): Promise<void>;
}

interface ServerConnection {
  readonly socket: Socket;
  client: PooledClient | null;
  /** How often the server has yet to say that it is ready. */
  owed: number;
}

interface PooledClient {
  readonly socket: Socket;
  readonly unsent: Buffer[];
  server: ServerConnection | null;
}

/** `connections`: how many there are to the server. They are made with the words of the first client. */
export async function startPooler(url: string, connections: number): Promise<Pooler> {
  const target = new URL(url);
  const [host, port] = [target.hostname, Number(target.port)];
  const sockets = new Set<Socket>();
  const servers: ServerConnection[] = [];
  const waiting: PooledClient[] = [];
  let greeting: Promise<Buffer> | null = null;

  const openServers = async (startup: Buffer): Promise<Buffer> => {
    const greetings = Array.from({ length: connections }, () => openServer(startup));
    return (await Promise.all(greetings))[0] ?? Buffer.alloc(0);
  };
  const openServer = (startup: Buffer): Promise<Buffer> =>
    new Promise((resolve) => {
      const socket = connect(port, host);
      sockets.add(socket.on("error", () => {}));
      const server: ServerConnection = { socket, client: null, owed: 0 };
      const heard: Buffer[] = [];
      let isReady = false;
      socket.write(startup);
      eachMessage(socket, (message) => {
        const type = String.fromCharCode(message[0] ?? 0);
        if (!isReady) {
          heard.push(message);
          if (type !== "Z") return;
          isReady = true;
          servers.push(server);
          return resolve(Buffer.concat(heard));
        }
        server.client?.socket.write(message);
        if (type !== "Z") return;
        server.owed -= 1;
        // The transaction is over: the next client may have the connection.
        if (server.owed === 0 && message[5] === "I".charCodeAt(0)) {
          if (server.client !== null) server.client.server = null;
          server.client = null;
          serve();
        }
      });
    });
  const serve = (): void => {
    for (const server of servers) {
      const client = server.client === null ? waiting.shift() : undefined;
      if (client === undefined) continue;
      [server.client, client.server] = [client, server];
      for (const message of client.unsent.splice(0)) forward(server, message);
    }
  };
  const forward = (server: ServerConnection, message: Buffer): void => {
    if (["Q", "S"].includes(String.fromCharCode(message[0] ?? 0))) server.owed += 1;
    server.socket.write(message);
  };

  const listener = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    const client: PooledClient = { socket, unsent: [], server: null };
    socket.once("data", (startup) => {
      eachMessage(socket, (message) => {
        if (message[0] === "X".charCodeAt(0)) return void socket.end();
        if (client.server !== null) return forward(client.server, message);
        client.unsent.push(message);
        if (!waiting.includes(client)) waiting.push(client);
        serve();
      });
      greeting ??= openServers(startup);
      void greeting.then((words) => socket.write(words));
    });
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  target.port = String(typeof address === "object" && address !== null ? address.port : 0);
  return {
    url: target.href,
    async end() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, "close");
    },
  };
}

/** Each whole message of the protocol: a letter, then its length and the rest. */
function eachMessage(socket: Socket, heard: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on("data", (data) => {
    rest = Buffer.concat([rest, data]);
    for (let length = lengthIn(rest); length !== null && rest.length >= length; length = lengthIn(rest)) {
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      heard(message);
    }
  });
}

const lengthIn = (bytes: Buffer): number | null => (bytes.length < 5 ? null : 1 + bytes.readInt32BE(1));
