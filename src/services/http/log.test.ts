import { expect, test } from "vitest";
import { testShell } from "../../../test/support/test-shell.ts";
import { Secret } from "../../base/secret.ts";
import { createLineWriter, createLog } from "./log.ts";

function collect(options: { terminal: boolean; level?: "debug" }) {
  const lines: string[] = [];
  const log = createLog({
    level: null,
    secrets: [new Secret("canary-secret")],
    write: (line) => lines.push(line),
    ...options,
  });
  return { log, lines };
}

test("removes a secret from everything that can be logged", () => {
  const { log, lines } = collect({ terminal: false });
  const error = new Error("refused canary-secret", { cause: new Error("at https://h/?k=canary-secret") });
  log.info(
    { nested: { deep: ["canary-secret"] }, text: JSON.stringify({ key: "canary-secret" }) },
    "said canary-secret",
  );
  log.error({ err: error }, "failed");
  expect(lines.join("")).not.toContain("canary-secret");
  expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(["info", "error"]);
});

test("the address of a world is not in the line of its request", async () => {
  const { log, lines } = collect({ terminal: false });
  await testShell({ log }).request("/worlds/TTpG7EsKATxUdj0Hc85hWIyd6z_bOUjGm0NwmoUpDTU/mcp");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ msg: "request", path: "/worlds/[redacted]/mcp" }),
  ]);
});

test("writes short lines from warn on at a terminal, and JSON from info on otherwise", () => {
  const person = collect({ terminal: true });
  person.log.info("quiet");
  person.log.warn({ port: 1 }, "careful");
  expect(person.lines).toHaveLength(1);
  expect(person.lines[0]).toMatch(/^\d\d:\d\d:\d\d warn {2}careful \{"port":1\}\n$/);

  const file = collect({ terminal: false });
  file.log.info("kept");
  expect(JSON.parse(file.lines[0] ?? "")).toMatchObject({ level: "info", msg: "kept" });
});

test("escapes control characters anywhere in a terminal line", () => {
  const { log, lines } = collect({ terminal: true });
  const hostile = "a\u001B[2J\u009B31m\u202Eb";
  log.warn({ err: new Error(hostile), reason: hostile }, hostile);
  expect(lines.join("").replaceAll(/[\n\t]/g, "")).not.toMatch(/[\p{Cc}\u202E]/u);
  expect(lines[0]).toContain(String.raw`a\u001b[2J\u009b31m\u202eb`);
});

test("logs a request as one line without its query", async () => {
  const { log, lines } = collect({ terminal: false });
  await testShell({ log }).request("/healthz?token=abc", { headers: { "x-request-id": "r1" } });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ method: "GET", path: "/healthz", status: 200, request_id: "r1" });
  expect(lines[0]).not.toContain("abc");
});

/** A pipe that is not read until the test reads it. */
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

test("drops lines beyond a bound while the log is not read, and reports them later", () => {
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
