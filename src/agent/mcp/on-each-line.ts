import type { Stream } from "node:stream";

/** Of a line that does not end, no more is kept. */
const longestLine = 65_536;

/** Tells each line of a stream, and only whole ones: half a line may end in half a credential, which nobody knows for one. */
export function onEachLine(stream: Stream, tell: (line: string) => void): void {
  const decoder = new TextDecoder();
  let rest = "";

  function take(text: string): void {
    const lines = (rest + text).split("\n");
    rest = lines.pop()?.slice(0, longestLine) ?? "";
    for (const line of lines) if (line.trim() !== "") tell(line.trim());
  }

  stream.on("data", (chunk: Uint8Array) => take(decoder.decode(chunk, { stream: true })));
  stream.on("end", () => take("\n"));
}
