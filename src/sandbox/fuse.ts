// The few words of the kernel's FUSE protocol that a file system of empty directories needs. Bytes in, values out, and back; nothing here
// touches the disk. The numbers are those of linux/fuse.h, version 7.31, which every kernel since 5.4 speaks.

/** What the kernel wants. */
export interface FuseRequest {
  readonly opcode: number;
  readonly unique: bigint;
  readonly node: number;
  /** Which process is served, by its number outside of every sandbox. */
  readonly pid: number;
  /** What comes after the header. */
  readonly body: Buffer;
}

export const opcodes = {
  lookup: 1,
  forget: 2,
  getattr: 3,
  statfs: 17,
  init: 26,
  opendir: 27,
  readdir: 28,
  releasedir: 29,
  access: 34,
  interrupt: 36,
  batchForget: 42,
} as const;

export const errors = { none: 0, ENOENT: 2, EINTR: 4, EACCES: 13, ENOSYS: 38, ESTALE: 116 } as const;
export type FuseError = (typeof errors)[keyof typeof errors];

/** As much as one request may have. */
export const REQUEST_BYTES = 1_048_576 + 4096;
/** The node of the top. */
export const TOP = 1;
const HEADER = 40;
const REPLY_HEADER = 16;
const DIRECTORY = 0o040755;
/** Lookups in one directory do not wait for each other: one of them may be held while a person is asked. */
const PARALLEL_DIROPS = 1 << 18;
/** Seconds for which the kernel may believe an entry that never changes. */
const LONG = 3600n;

/** Null where it is none. */
export function readRequest(bytes: Buffer): FuseRequest | null {
  if (bytes.length < HEADER || bytes.readUInt32LE(0) !== bytes.length) return null;
  return {
    opcode: bytes.readUInt32LE(4),
    unique: bytes.readBigUInt64LE(8),
    node: Number(bytes.readBigUInt64LE(16)),
    pid: bytes.readUInt32LE(32),
    body: bytes.subarray(HEADER),
  };
}

/** The name that a lookup is for; null where it is not UTF-8, since no such name is shown. */
export function nameIn(body: Buffer): string | null {
  const end = body.indexOf(0);
  const bytes = end === -1 ? body : body.subarray(0, end);
  const name = bytes.toString("utf8");
  return Buffer.from(name, "utf8").equals(bytes) ? name : null;
}

export function reply(unique: bigint, error: FuseError, data: Buffer = NOTHING): Buffer {
  const bytes = Buffer.alloc(REPLY_HEADER + data.length);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeInt32LE(-error, 4);
  bytes.writeBigUInt64LE(unique, 8);
  data.copy(bytes, REPLY_HEADER);
  return bytes;
}

export const NOTHING = Buffer.alloc(0);
/** A directory that is open. */
export const OPENED = Buffer.alloc(16);
/** A file system with room for nothing. */
export const STATFS = Buffer.alloc(80);

export function initReply(): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32LE(7, 0);
  bytes.writeUInt32LE(31, 4);
  bytes.writeUInt32LE(4096, 8);
  bytes.writeUInt32LE(PARALLEL_DIROPS, 12);
  bytes.writeUInt16LE(16, 16);
  bytes.writeUInt16LE(12, 18);
  bytes.writeUInt32LE(4096, 20);
  bytes.writeUInt32LE(1, 24);
  return bytes;
}

/** An empty directory as the answer to a lookup. `lasting`: the kernel need not ask again. */
export function entryReply(node: number, lasting: boolean): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.writeBigUInt64LE(BigInt(node), 0);
  bytes.writeBigUInt64LE(lasting ? LONG : 0n, 16);
  bytes.writeBigUInt64LE(lasting ? LONG : 0n, 24);
  attributes(node).copy(bytes, 40);
  return bytes;
}

/** The same as the answer to a look at it. */
export function attrReply(node: number): Buffer {
  const bytes = Buffer.alloc(104);
  attributes(node).copy(bytes, 16);
  return bytes;
}

function attributes(node: number): Buffer {
  const bytes = Buffer.alloc(88);
  bytes.writeBigUInt64LE(BigInt(node), 0);
  bytes.writeUInt32LE(DIRECTORY, 60);
  bytes.writeUInt32LE(2, 64);
  bytes.writeUInt32LE(4096, 80);
  return bytes;
}
