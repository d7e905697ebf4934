import type { Writable } from "node:stream";

/** Bytes that may wait for whoever reads the log: some ten thousand lines. */
const mostWaiting = 4 * 1024 * 1024;

/**
 * Writes lines to a stream for as long as they are read. Of a pipe that nobody empties, what comes beyond a bound is left out instead of
 * being held in memory for good, and counted: the first line that goes through again comes after one that says how many are missing.
 */
export function createLineWriter(stream: Pick<Writable, "write" | "writableLength">): (line: string) => void {
  let leftOut = 0;

  return (line) => {
    if (stream.writableLength > mostWaiting) {
      leftOut += 1;
      return;
    }
    if (leftOut > 0) stream.write(missing(leftOut));
    leftOut = 0;
    stream.write(line);
  };
}

function missing(lines: number): string {
  const entry = {
    level: "warn",
    time: new Date().toISOString(),
    lines,
    msg: "lines are missing here: nobody read the log",
  };
  return `${JSON.stringify(entry)}\n`;
}
