// Pairing: a short code that lets one browser in, once. Forty random bits, good for five minutes and for five tries: a guess
// succeeds once in two hundred thousand million codes.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../core/clock.ts";

export interface Pairing {
  /** A new code; the one before it is no longer good. */
  open(): { readonly code: string; readonly expires: number };
  /** `taken` once, for the right code in time. */
  take(code: string): "taken" | "wrong" | "too-often";
}

const LIFE = 5 * 60_000;
/** Wrong codes that end the right one. */
const TRIES = 5;
/** Tries in a minute, whatever code is open. */
const IN_A_MINUTE = 20;
const MINUTE = 60_000;
const BYTES = 5;
/** Crockford's: no letter that looks like a digit. */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A code as it is compared: case, dashes and letters that look like digits do not matter. */
function canonicalCode(text: string): string {
  return text.toUpperCase().replaceAll(/[\s-]/gu, "").replaceAll("O", "0").replaceAll(/[IL]/gu, "1");
}

export function createPairing(clock: Clock, random: (bytes: number) => Buffer = randomBytes): Pairing {
  let open: { readonly digest: Buffer; readonly expires: number; left: number } | null = null;
  let tried: readonly number[] = [];
  return {
    open() {
      const code = letters(random(BYTES));
      const expires = clock() + LIFE;
      open = { digest: digestOf(code), expires, left: TRIES };
      return { code: `${code.slice(0, 4)}-${code.slice(4)}`, expires };
    },
    take(typedCode) {
      const now = clock();
      tried = tried.filter((at) => now - at < MINUTE);
      if (tried.length >= IN_A_MINUTE) return "too-often";
      tried = [...tried, now];
      if (open === null || now > open.expires) return "wrong";
      // RACE: nothing is awaited between the look and the end of the code, so that of two at once one is let in.
      if (timingSafeEqual(digestOf(canonicalCode(typedCode)), open.digest)) {
        open = null;
        return "taken";
      }
      open.left -= 1;
      if (open.left === 0) open = null;
      return "wrong";
    },
  };
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Five bits a letter. */
function letters(bytes: Buffer): string {
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  return Array.from({ length: (bytes.length * 8) / 5 }, (_, index) => LETTERS[Number((bits >> BigInt(5 * index)) & 31n)]).join("");
}
