import { expect, test } from "vitest";
import { nextCommand, thisCall } from "./next-command.ts";
import { waysOn } from "./ways-on.ts";

test("the lines that go on with a run name the command as it was started, and where the run is", () => {
  const started = nextCommand(".", "", thisCall());
  expect(waysOn({ run_id: "run-1" }, { dataDir: "my runs" })).toBe(
    `${started}eval --resume run-1 --data-dir "my runs" goes on with it, ${started}cancel run-1 --data-dir "my runs" ends it.`,
  );
  expect(waysOn({ run_id: "run-1" }, { server: "http://127.0.0.1:8001" })).toBe(
    `${started}eval --resume run-1 goes on with it, ${started}cancel run-1 --server http://127.0.0.1:8001 ends it.`,
  );
});
