import { expect, test } from "vitest";
import { readJsonBody } from "./read-body.ts";

const limits = { bytes: 64, milliseconds: 50 };
const request = (body: string | ReadableStream<Uint8Array>, headers: Readonly<Record<string, string>> = {}): Request =>
  new Request("http://test/", { method: "POST", body, headers: { "content-type": "application/json", ...headers }, duplex: "half" });
const slow = (): ReadableStream<Uint8Array> => new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("{")) });
const broken = (): ReadableStream<Uint8Array> => new ReadableStream({ start: (controller) => controller.error(new Error("gone")) });

for (const [how, headers] of [
  ["says how long it is", { "content-length": "10" }],
  ["does not say how long it is", {}],
] as const) {
  test(`a body that ${how} is read`, async () => {
    expect(await readJsonBody(request('{"a": "b"}', headers), limits)).toEqual({ a: "b" });
  });
  test(`a body that ${how} and is longer than it may be is refused`, async () => {
    await expect(readJsonBody(request(JSON.stringify("x".repeat(100)), headers), limits)).rejects.toMatchObject({ code: "too-large" });
  });
  test(`a body that ${how} and does not come is not waited for`, async () => {
    await expect(readJsonBody(request(slow(), headers), limits)).rejects.toMatchObject({ code: "timeout" });
  });
  test(`a body that ${how} and breaks off is refused`, async () => {
    await expect(readJsonBody(request(broken(), headers), limits)).rejects.toMatchObject({ code: "bad-request" });
  });
}
