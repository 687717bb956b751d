// Pictures that are put into the composer: made small enough to be sent, in the browser.

import { pictureLimits } from "../../../src/wire/chat-routes.ts";

/** A picture that is ready to be sent. */
export interface ReadyPicture {
  readonly id: string;
  readonly name: string;
  /** An address that shows it. */
  readonly address: string;
  /** What is sent. */
  readonly base64: string;
}

/** No side is longer: services make larger ones smaller themselves. */
const LONGEST_SIDE = 1568;

/** Ready to be sent. Throws what is to be said to the person, where it is no picture or stays too large. */
export async function readPicture(file: File): Promise<ReadyPicture> {
  const name = file.name === "" ? "picture" : file.name;
  if (!/^image\/(png|jpeg|webp|gif)$/.test(file.type)) throw new Error(`${name} is not a PNG, JPEG, WebP or GIF picture`);
  const small = file.size <= pictureLimits.bytes ? file : await made(file, name);
  const address = await addressOf(small);
  return { id: crypto.randomUUID(), name, address, base64: address.slice(address.indexOf(",") + 1) };
}

/** The same in fewer bytes: smaller, and if that is not enough, coarser. */
async function made(file: File, name: string): Promise<Blob> {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (bitmap === null) throw new Error(`${name} cannot be read as a picture`);
  for (const [side, quality] of [
    [LONGEST_SIDE, 0.85],
    [LONGEST_SIDE, 0.6],
    [LONGEST_SIDE / 2, 0.6],
  ] as const) {
    const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
    const canvas = new OffscreenCanvas(Math.max(1, Math.round(bitmap.width * scale)), Math.max(1, Math.round(bitmap.height * scale)));
    const context = canvas.getContext("2d");
    if (context === null) break;
    // What shows through would be black in a JPEG.
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const blob = await canvas.convertToBlob({ type: "image/jpeg", quality });
    if (blob.size <= pictureLimits.bytes) return blob;
  }
  throw new Error(`${name} is too large to send`);
}

const addressOf = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () =>
      typeof reader.result === "string" ? resolve(reader.result) : reject(new Error("the picture cannot be read")),
    );
    reader.addEventListener("error", () => reject(new Error("the picture cannot be read")));
    reader.readAsDataURL(blob);
  });
