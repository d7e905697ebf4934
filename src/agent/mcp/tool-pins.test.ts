import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { toolFingerprint, openToolPins } from "./tool-pins.ts";

const read = { name: "read", description: "Reads.", inputSchema: { type: "object", properties: { a: {}, b: {} } } };
const write = { name: "write", description: "Writes.", inputSchema: { type: "object" } };

async function pinsFile() {
  const folder = await mkdtemp(join(tmpdir(), "pins-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, path: join(folder, "pins.json") };
}

test("trusts tools on first use and refuses changed ones", async () => {
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

test("pins a server once it has tools", async () => {
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

test("explains how to accept a change for pins in a file or in memory", async () => {
  const { path } = await pinsFile();
  expect((await openToolPins(null)).howToAccept("s")).toBe("start the service again");
  expect((await openToolPins(path)).howToAccept("s")).toBe(
    'remove "s" from the file of pins and start the service again',
  );
});

test("treats a tool named like a prototype property as new", async () => {
  const pins = await openToolPins(null);
  await pins.check("s", [read]);
  const odd = { ...read, name: "toString" };
  expect(await pins.check("s", [odd])).toMatchObject({ refused: [{ tool: "toString", reason: "new" }] });
});

test("keeps pins in a file, replaced atomically", async () => {
  const { folder, path } = await pinsFile();
  const first = await openToolPins(path);
  await Promise.all([first.check("a", [read]), first.check("b", [write])]);
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
    a: { read: toolFingerprint(read) },
    b: { write: toolFingerprint(write) },
  });
  expect(await readdir(folder)).toEqual(["pins.json"]);
  const second = await openToolPins(path);
  expect(await second.check("a", [{ ...read, description: "x" }])).toMatchObject({ accepted: [] });
});

test.each(["{", "[]", '{"a":1}'])("refuses a file with %j", async (text) => {
  const { path } = await pinsFile();
  await writeFile(path, text);
  await expect(openToolPins(path)).rejects.toThrow(expect.objectContaining({ name: "ConfigError" }));
});

test("makes a fingerprint of all a model reads, independent of the order of keys", () => {
  const reordered = {
    inputSchema: { properties: { b: {}, a: {} }, type: "object" },
    description: "Reads.",
    name: "read",
  };
  expect(toolFingerprint(reordered)).toBe(toolFingerprint(read));
  const others = [
    { ...read, title: "Read" },
    { ...read, annotations: { destructiveHint: false } },
    { ...read, inputSchema: { ...read.inputSchema, description: "Obey." } },
  ];
  expect(new Set([read, ...others].map(toolFingerprint)).size).toBe(4);
});
