import { expect, test } from "vitest";
import { createLineWriter } from "./line-writer.ts";

/** A pipe that hands nothing on until it is read. */
function pipe() {
  let waiting: string[] = [];
  return {
    get writableLength() {
      return waiting.join("").length;
    },
    write: (line: string) => waiting.push(line) > 0,
    read() {
      const lines = waiting;
      waiting = [];
      return lines;
    },
  };
}

test("what nobody reads is held up to a bound, and told as missing once somebody reads on", () => {
  const stream = pipe();
  const write = createLineWriter(stream);
  const line = `${"x".repeat(1024 * 1024)}\n`;
  for (let count = 0; count < 20; count++) write(line);
  const held = stream.read();
  expect(held).toHaveLength(4);

  write("again\n");
  write("and again\n");
  const [missing = "", ...rest] = stream.read();
  expect(JSON.parse(missing)).toMatchObject({ level: "warn", lines: 16 });
  expect(rest).toEqual(["again\n", "and again\n"]);
});
