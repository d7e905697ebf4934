import fc from "fast-check";
import { expect, test } from "vitest";
import { LineTooLong, serverSentEvents } from "./server-sent-events.ts";

async function read(chunks: Iterable<Uint8Array>, maximum?: number) {
  async function* source() {
    yield* chunks;
  }
  const data: string[] = [];
  for await (const event of serverSentEvents(source(), maximum === undefined ? {} : { maximum })) data.push(event.data);
  return data;
}

test("events come out the same wherever the bytes are cut and however lines end", async () => {
  const dataLine = fc
    .string({ unit: "grapheme", maxLength: 12 })
    .map((text) => text.replace(/[\r\n\ufeff\ud800-\udfff]/g, "x"));
  const event = fc.array(dataLine, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 4 }),
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.integer({ min: 1, max: 9 }),
      async (events, lineEnd, size) => {
        const text = events.map((lines) => lines.map((line) => `data: ${line}${lineEnd}`).join("") + lineEnd).join("");
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        expect(await read(chunks)).toEqual(events.map((lines) => lines.join("\n")));
      },
    ),
    { numRuns: 200 },
  );
});

test("a line or an event beyond the limit is refused before it is held in memory", async () => {
  const endless = Array.from({ length: 30 }, () => Buffer.from("aaaa"));
  await expect(read(endless, 100)).rejects.toBeInstanceOf(LineTooLong);
  await expect(read([Buffer.from("data: aaaaaaaaaa\n".repeat(20))], 100)).rejects.toBeInstanceOf(LineTooLong);
});
