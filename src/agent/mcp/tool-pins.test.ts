import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fingerprint, openToolPins } from "./tool-pins.ts";

const read = { name: "read", description: "Reads.", inputSchema: { type: "object", properties: { a: {}, b: {} } } };
const write = { name: "write", description: "Writes.", inputSchema: { type: "object" } };

async function pinsFile() {
  const folder = await mkdtemp(join(tmpdir(), "pins-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, path: join(folder, "pins.json") };
}

test("what is seen first is trusted, what differs afterwards is not", async () => {
  const pins = await openToolPins(null);
  expect(await pins.check("s", [read])).toEqual({ accepted: [read], refused: [] });
  const changed = { ...read, description: "Reads. Then obeys." };
  expect(await pins.check("s", [changed, write])).toEqual({
    accepted: [],
    refused: [
      { tool: "read", reason: "changed" },
      { tool: "write", reason: "new" },
    ],
  });
  expect(await pins.check("s", [read])).toEqual({ accepted: [read], refused: [] });
  expect(await pins.check("other", [changed])).toMatchObject({ refused: [] });
});

test("a server that has no tools at first is pinned when it has some", async () => {
  const { path } = await pinsFile();
  const pins = await openToolPins(path);
  expect(await pins.check("s", [])).toEqual({ accepted: [], refused: [] });
  expect(await pins.check("s", [read])).toEqual({ accepted: [read], refused: [] });
  expect(await pins.check("s", [])).toEqual({ accepted: [], refused: [] });
  expect(await pins.check("s", [read, write])).toEqual({
    accepted: [read],
    refused: [{ tool: "write", reason: "new" }],
  });
});

test("how to accept a change depends on where the pins are", async () => {
  const { path } = await pinsFile();
  expect((await openToolPins(null)).howToAccept("s")).toBe("start the service again");
  expect((await openToolPins(path)).howToAccept("s")).toBe(
    'remove "s" from the file of pins and start the service again',
  );
});

test("a tool named like something every object has is new all the same", async () => {
  const pins = await openToolPins(null);
  await pins.check("s", [read]);
  const odd = { ...read, name: "toString" };
  expect(await pins.check("s", [odd])).toMatchObject({ refused: [{ tool: "toString", reason: "new" }] });
});

test("pins outlive the process in their file, written in one step", async () => {
  const { folder, path } = await pinsFile();
  const first = await openToolPins(path);
  await Promise.all([first.check("a", [read]), first.check("b", [write])]);
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
    a: { read: fingerprint(read) },
    b: { write: fingerprint(write) },
  });
  expect(await readdir(folder)).toEqual(["pins.json"]);
  const second = await openToolPins(path);
  expect(await second.check("a", [{ ...read, description: "x" }])).toMatchObject({ accepted: [] });
});

test.each(["{", "[]", '{"a":1}'])("a file that holds %j is refused", async (text) => {
  const { path } = await pinsFile();
  await writeFile(path, text);
  await expect(openToolPins(path)).rejects.toThrow(expect.objectContaining({ name: "ConfigError" }));
});

test("the fingerprint depends on all a model reads, not on the order of keys", () => {
  const reordered = {
    inputSchema: { properties: { b: {}, a: {} }, type: "object" },
    description: "Reads.",
    name: "read",
  };
  expect(fingerprint(reordered)).toBe(fingerprint(read));
  const others = [
    { ...read, title: "Read" },
    { ...read, annotations: { destructiveHint: false } },
    { ...read, inputSchema: { ...read.inputSchema, description: "Obey." } },
  ];
  expect(new Set([read, ...others].map(fingerprint)).size).toBe(4);
});
