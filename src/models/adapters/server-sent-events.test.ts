import fc from "fast-check";
import { expect, test } from "vitest";
import { EventSplitter, LineTooLong } from "./server-sent-events.ts";

function read(chunks: Iterable<Uint8Array>, maximum = 1_000_000) {
  const splitter = new EventSplitter({ maximum });
  const events = Array.from(chunks, (chunk) => splitter.push(chunk)).flat();
  return [...events, ...splitter.end()].map(({ data }) => data);
}

test("events come out the same wherever the bytes are cut and however lines end", () => {
  const dataLine = fc
    .string({ unit: "grapheme", maxLength: 12 })
    .map((text) => text.replace(/[\r\n\ufeff\ud800-\udfff]/g, "x"));
  const event = fc.array(dataLine, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 4 }),
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.integer({ min: 1, max: 9 }),
      (events, lineEnd, size) => {
        const text = events.map((lines) => lines.map((line) => `data: ${line}${lineEnd}`).join("") + lineEnd).join("");
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        expect(read(chunks)).toEqual(events.map((lines) => lines.join("\n")));
      },
    ),
    { numRuns: 200 },
  );
});

test("a line or an event beyond the limit is refused before it is held in memory", () => {
  const endless = Array.from({ length: 30 }, () => Buffer.from("aaaa"));
  expect(() => read(endless, 100)).toThrow(LineTooLong);
  expect(() => read([Buffer.from("data: aaaaaaaaaa\n".repeat(20))], 100)).toThrow(LineTooLong);
});

test("comments, other fields, a byte order mark and events without data are passed over", () => {
  const text = "\ufeff: hello\nid: 7\nretry: 10\n\nevent: ping\n\ndata\n\ndata:a\ndata:  b\nevent: named\n\ndata: cut";
  const splitter = new EventSplitter({ maximum: 1000 });
  const events = [...splitter.push(Buffer.from(text)), ...splitter.end()];
  expect(events).toEqual([
    { event: "message", data: "" },
    { event: "named", data: "a\n b" },
    { event: "message", data: "cut" },
  ]);
});

test("an error outside the format is read wherever the bytes are cut", () => {
  const bytes = Buffer.from('data: a\r\n\r\nerror: {"code":500}\r\n\r\n{"error":{}}');
  for (let size = 1; size <= bytes.length; size += 1) {
    const splitter = new EventSplitter({ maximum: 1000 });
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    const events = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
    expect(events).toEqual([
      { event: "message", data: "a" },
      { event: "error", data: '{"code":500}' },
      { event: "message", data: '{"error":{}}' },
    ]);
  }
});

test("bytes that are no UTF-8 do not stop the stream", () => {
  expect(
    read([Buffer.from([...Buffer.from("data: a"), 0xff, ...Buffer.from("\n\ndata: \u00e9")]).subarray(0, -1)]),
  ).toEqual(["a\ufffd", "\ufffd"]);
});
