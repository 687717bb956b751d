// A text as a file that the browser keeps.

export async function saveFile(name: string, lines: AsyncIterable<string>): Promise<string> {
  const parts: string[] = [];
  for await (const line of lines) parts.push(`${line}\n`);
  const address = URL.createObjectURL(new Blob(parts, { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return name;
}
