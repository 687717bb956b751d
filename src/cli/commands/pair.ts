// hallpass pair: a code that signs one browser in, and a picture of it for a phone's camera. The code is good once and for five minutes.

import { join } from "node:path";
import encodeQr from "qr";
import { show } from "../../core/path/show.ts";
import { routes } from "../../wire/http.ts";
import { needDaemon } from "../daemon-connection.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import type { Host } from "../host.ts";
import { packageAround } from "../package-around.ts";

export async function pair({ values }: Call<"pair">, host: Host): Promise<number> {
  const { client, close } = await needDaemon(host, "terminal");
  try {
    const { code, expires, address } = await client.send(routes.addPairing, {});
    const link = address === null ? null : `${address}/#pair=${code}`;
    if (values.json === true) {
      host.output.write(`${JSON.stringify({ code, expires, address, link })}\n`);
      return exitCodes.done;
    }
    const linkText = link === null ? onThisMachine(client.address) : host.output.isTTY === true ? drawCode(link) : `  ${link}\n`;
    host.output.write(`${linkText}\n  code  ${code}\n\n`);
    host.output.write(
      link === null
        ? `Open ${client.address} in another browser on this machine and type the code there.`
        : `Scan it with the phone's camera, or open ${address} there and type the code.`,
    );
    host.output.write("\nThe code works once, within five minutes. hallpass browsers lists who is signed in.\n");
    return exitCodes.done;
  } finally {
    await close();
  }
}

/** Dark on light whatever the terminal's colours are, with the margin that cameras look for: two rows of the picture a line. */
function drawCode(link: string): string {
  const rows = encodeQr(link, "raw", { border: 2 });
  const lines: string[] = [];
  for (let at = 0; at < rows.length; at += 2) {
    const line = (rows[at] ?? []).map((isDark, column) => blocks[isDark ? 1 : 0][rows[at + 1]?.[column] === true ? 1 : 0]).join("");
    lines.push(line);
  }
  return `${lines.map((line) => `\u{1b}[30;107m${line}\u{1b}[0m`).join("\n")}\n`;
}

/** By the upper half, then the lower: a dark half is drawn in the colour of letters. */
const blocks = [
  [" ", "▄"],
  ["▀", "█"],
] as const;

const onThisMachine = (address: string): string =>
  `The daemon listens only on this machine (${address}); a phone needs an address that it can reach, with TLS:

  hallpass stop
  hallpass serve --host 0.0.0.0 --name laptop.example --tls-cert cert.pem --tls-key key.pem

${show(join(packageAround(import.meta.url).docs, "guides", "web.md"))} says how to get a certificate that a phone trusts.
`;
