// Makes a picture small: a PNG with at most 256 colours. Screens of text have few colours and many shades of their edges; the most used
// are kept, the others take the nearest.

import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/** The same picture with a palette. Takes what browsers write: eight bits, RGB or RGBA, not interlaced. */
export function withPalette(png) {
  const { width, height, pixels } = read(png);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const palette = chosen(counts);
  const index = new Map(palette.map((colour, at) => [colour, at]));
  for (const colour of counts.keys()) if (!index.has(colour)) index.set(colour, nearest(palette, colour));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = index.get(pixels[y * width + x]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("PLTE", colours),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The most used colours, and of the rest the one furthest from all chosen, again and again: a rare red must not become a grey. */
function chosen(counts) {
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  const palette = sorted.slice(0, 160);
  const rest = sorted.slice(160, 6000).map((colour) => ({ colour, far: Math.min(...palette.map((one) => distance(one, colour))) }));
  while (palette.length < 256 && rest.length > 0) {
    let best = 0;
    for (let at = 1; at < rest.length; at += 1) if (rest[at].far > rest[best].far) best = at;
    const [{ colour, far }] = rest.splice(best, 1);
    if (far === 0) break;
    palette.push(colour);
    for (const one of rest) one.far = Math.min(one.far, distance(colour, one.colour));
  }
  return palette;
}

function nearest(palette, colour) {
  let best = 0;
  for (let at = 1; at < palette.length; at += 1) if (distance(palette[at], colour) < distance(palette[best], colour)) best = at;
  return best;
}

function distance(a, b) {
  const [red, green, blue] = [(a >> 16) - (b >> 16), ((a >> 8) & 255) - ((b >> 8) & 255), (a & 255) - (b & 255)];
  return 2 * red * red + 4 * green * green + 3 * blue * blue;
}

function read(png) {
  let at = 8;
  let [width, height, bytes] = [0, 0, 4];
  const data = [];
  while (at < png.length) {
    const length = png.readUInt32BE(at);
    const kind = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (kind === "IHDR") [width, height, bytes] = [body.readUInt32BE(0), body.readUInt32BE(4), body[9] === 6 ? 4 : 3];
    if (kind === "IDAT") data.push(body);
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * bytes;
  const pixels = new Uint32Array(width * height);
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)];
    const row = Buffer.from(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let x = 0; x < stride; x += 1) {
      const [left, up, corner] = [x >= bytes ? row[x - bytes] : 0, above[x], x >= bytes ? above[x - bytes] : 0];
      const added = filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : filter === 4 ? paeth(left, up, corner) : 0;
      row[x] = (row[x] + added) & 255;
    }
    for (let x = 0; x < width; x += 1) pixels[y * width + x] = (row[x * bytes] << 16) | (row[x * bytes + 1] << 8) | row[x * bytes + 2];
    above = row;
  }
  return { width, height, pixels };
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function chunk(kind, body) {
  const named = Buffer.concat([Buffer.from(kind, "latin1"), body]);
  const whole = Buffer.alloc(body.length + 12);
  whole.writeUInt32BE(body.length, 0);
  whole.set(named, 4);
  whole.writeUInt32BE(crc32(named), body.length + 8);
  return whole;
}
