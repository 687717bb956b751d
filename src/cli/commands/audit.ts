// hallpass audit [tail|query|verify|export]: the record, in the words of the page. Never a file's content.

import { createReadStream, createWriteStream } from "node:fs";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { auditKinds } from "../../core/audit.ts";
import { show } from "../../core/path/show.ts";
import { HallpassError } from "../../core/errors.ts";
import { type DaemonPlace, placeOf } from "../../server/daemon-place.ts";
import { compareHead, headFault, headRemedy, readHead } from "../../server/record-head.ts";
import { type Client, WireError } from "../../wire/client.ts";
import { routes } from "../../wire/http.ts";
import { auditTable, type RecordRow, type RecordPage } from "../audit-table.ts";
import { type Checkpoint, checkpointFile, readCheckpoint, writeCheckpoint } from "../checkpoint.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Call, oneOf } from "../flags.ts";
import { type Host, UsageError } from "../host.ts";
import { newestRecords, type RecordQuery, recordsBefore } from "../listing.ts";
import { paintFor } from "../paint.ts";
import { withProgress } from "../progress.ts";
import { withRecords } from "../records.ts";
import { type VerifyResult, verifyRecord } from "../verify-record.ts";

type Values = Call<"audit">["values"];

export async function audit({ values, words: [what = "tail", file] }: Call<"audit">, host: Host): Promise<number> {
  const verb = oneOf("audit", what, ["tail", "query", "verify", "export"]);
  if (file !== undefined && verb !== "verify") throw new UsageError(`audit ${verb} takes no further arguments`);
  if (values.checkpoint === true && (verb !== "verify" || file !== undefined))
    throw new UsageError("--checkpoint is for the record itself: audit verify --checkpoint");
  if (verb === "verify") return verify(file, values, host);
  return withRecords(host, async ({ client }) => {
    if (verb === "export") return exportRecord(client, values.output, host);
    const filter = filterOf(values);
    const found = await withProgress(host, "searching the record", (say) => newestRecords(client, filter.query, filter.most, say));
    print(found, values.json === true, host);
    if (verb === "tail" && values.follow === true) await follow(client, filter, found, values.json === true, host);
    return exitCodes.done;
  });
}

interface Filter {
  readonly query: RecordQuery;
  readonly most: number;
}

function filterOf(values: Values): Filter {
  const { session, kind, verdict, since, path, lines = "20" } = values;
  const most = Number(lines);
  if (!Number.isInteger(most) || most < 1) throw new UsageError("--lines takes a number, such as 50");
  return {
    query: {
      ...(session === undefined ? {} : { session }),
      ...(kind === undefined ? {} : { kind: oneOf("--kind", kind, auditKinds) }),
      ...(verdict === undefined ? {} : { verdict: oneOf("--verdict", verdict, ["allow", "ask", "deny"]) }),
      ...(since === undefined ? {} : { since: timeOf(since, Date.now()) }),
      ...(path === undefined ? {} : { path }),
    },
    most,
  };
}

/** `30min`, `2h`, `3d` ago, or a date. */
function timeOf(text: string, now: number): number {
  const span = /^(\d+)\s*(s|min|m|h|d)$/u.exec(text);
  const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
  if (span !== null) return now - Number(span[1]) * (units[span[2] ?? ""] ?? 0);
  const date = Date.parse(text);
  if (Number.isNaN(date)) throw new UsageError("--since takes a time such as 30min, 2h, 3d or 2026-11-15");
  return date;
}

function print(found: readonly RecordRow[], json: boolean, host: Host): void {
  if (json) for (const record of found) host.output.write(`${JSON.stringify(record)}\n`);
  else if (found.length === 0) host.output.write("no matching records\n");
  else host.output.write(auditTable(found, host.output, paintFor(host.output, host.env)));
}

const PAUSE = 1000;
const PAGE = 100;

/** What is recorded from now on, until the process is ended or nobody reads any more. */
async function follow(client: Client, filter: Filter, from: readonly RecordRow[], json: boolean, host: Host): Promise<void> {
  let above = from;
  let last = from.at(-1)?.sequence ?? 0;
  while (host.output.writable) {
    await new Promise((done) => setTimeout(done, PAUSE));
    const fitting = await newer(client, filter, last);
    last = fitting.at(-1)?.sequence ?? last;
    if (fitting.length === 0) continue;
    above = [...above, ...fitting].slice(-Math.max(PAGE, fitting.length));
    if (json) print(fitting, true, host);
    else {
      // One table with what is above it: the same columns, and no second head.
      const lines = auditTable(above, host.output, paintFor(host.output, host.env)).trimEnd().split("\n");
      host.output.write(`${lines.slice(-fitting.length).join("\n")}\n`);
    }
  }
}

/** Every record after this one, oldest first, however many there are. */
async function newer(client: Client, { query }: Filter, last: number): Promise<readonly RecordRow[]> {
  const found: RecordRow[] = [];
  for (let before: number | null = null; ;) {
    const page: RecordPage = await recordsBefore(client, query, before, PAGE);
    found.push(...page.records.filter(({ sequence }) => sequence > last));
    before = page.next;
    if (before === null || before <= last + 1) return found.reverse();
  }
}

async function exportRecord(client: Client, output: string | undefined, host: Host): Promise<number> {
  const lines = client.lines(routes.exportAudit, {});
  if (output === undefined) {
    for await (const line of lines) if (!host.output.write(`${line}\n`)) await once(host.output, "drain");
    return exitCodes.done;
  }
  let records = 0;
  const counted = async function* (say: (how: string) => void): AsyncGenerator<string> {
    for await (const line of lines) {
      records += 1;
      if (records % 1000 === 0) say(recordCount(records));
      yield `${line}\n`;
    }
  };
  const file = createWriteStream(resolve(host.cwd, output), { mode: 0o600 });
  try {
    await withProgress(host, "exporting", (say) => pipeline(counted(say), file));
  } catch (cause) {
    if (cause instanceof WireError || !(cause instanceof Error)) throw cause;
    throw new UsageError(`${output} cannot be written: ${cause.message}`);
  }
  host.errors.write(`${records} records\n`);
  return exitCodes.done;
}

/** The chain, of the record itself or of a file that was exported. */
async function verify(file: string | undefined, { json, checkpoint }: Values, host: Host): Promise<number> {
  const place = placeOf(host);
  const from = checkpoint === true ? checkpointOf(place, host) : null;
  // Before the record, which only grows: what is noted meanwhile may be past what was read. A file was exported some time, from anywhere: the
  // note here says nothing of it.
  const noted = file === undefined ? readHead(place) : "none";
  const checked = (lines: AsyncIterable<string>): Promise<VerifyResult> =>
    withProgress(host, "verifying the record", (say) =>
      verifyRecord(lines, { noted: typeof noted === "string" ? null : noted.sequence, onProgress: (records) => say(recordCount(records)) }),
    );
  const { hashAtNoted, after, archived, ...result } = await (file === undefined
    ? withRecords(host, ({ client }) => checked(client.lines(routes.exportAudit, from === null ? {} : { query: { after: from.sequence } })))
    : checked(linesOf(resolve(host.cwd, file))));
  const last = after.sequence + result.records;
  const fault =
    result.broken !== null
      ? null
      : (checkpointFault(from, after) ??
        headFault(
          compareHead(noted, after, last, () => hashAtNoted),
          place,
        ));
  // What was found whole need not be followed again.
  if (file === undefined && result.broken === null && fault === null && last > 0)
    writeCheckpoint(place, host.env, { sequence: last, hash: result.head, at: Date.now() });
  if (json === true) host.output.write(`${JSON.stringify({ ...result, after: after.sequence, archived, end: fault })}\n`);
  else if (fault !== null) host.output.write(`${paintFor(host.output, host.env).red("✗")} ${fault}\n  ${headRemedy(place)}\n`);
  else {
    const paint = paintFor(host.output, host.env);
    host.output.write(
      result.broken === null
        ? `${paint.green("✓")} ${result.records.toLocaleString("en-US")} records, every link of the chain holds${result.head === "" ? "" : `; head ${result.head.slice(0, 16)}`}\n`
        : `${paint.red("✗")} the chain breaks at record ${result.broken}: it, or one before it, was changed, moved or removed\n`,
    );
    if (from !== null && after.sequence === from.sequence)
      host.output.write(`  records 1 to ${from.sequence.toLocaleString("en-US")} were found whole on ${new Date(from.at).toISOString()}\n`);
    else if (after.sequence > 0)
      host.output.write(`  records 1 to ${after.sequence.toLocaleString("en-US")} are not in it: they were archived\n`);
    for (const { first, last, file: to } of archived) host.output.write(`  records ${first} to ${last} were archived in ${show(to)}\n`);
  }
  return result.broken === null && fault === null ? exitCodes.done : exitCodes.fault;
}

/** Where to begin. Throws where the checkpoint is forged: verifying from an invented place would prove nothing. */
function checkpointOf(place: DaemonPlace, { env }: Host): Checkpoint | null {
  const read = readCheckpoint(place, env);
  if (read === "forged")
    throw new HallpassError(
      "io-error",
      `\`${show(checkpointFile(place))}\` was not signed with this directory's token: verify without --checkpoint`,
    );
  return read === "none" ? null : read;
}

function checkpointFault(from: Checkpoint | null, after: { readonly sequence: number; readonly hash: string }): string | null {
  // Archived since: what is left begins later, and was followed from there.
  if (from === null || after.sequence > from.sequence) return null;
  if (after.sequence === from.sequence && after.hash === from.hash) return null;
  return `record ${from.sequence} is not the one up to which the record was found whole on ${new Date(from.at).toISOString()}: it was replaced or cut off`;
}

const recordCount = (records: number): string => `${records.toLocaleString("en-US")} records`;

async function* linesOf(file: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(file, "utf8"), crlfDelay: Infinity });
  } catch (cause) {
    throw new UsageError(`${file} cannot be read: ${cause instanceof Error ? cause.message : "unknown"}`);
  }
}
