import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateRawSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { importScenarios } from "../../formats/import-scenarios.ts";
import { namedFilesIn, readFiles, readScenarioFiles } from "./read-scenarios.ts";
import { readInspectLog, unzip } from "./inspect-log.ts";

const fixtures = join(import.meta.dirname, "../../formats/fixtures");
const own = "id: own\ninteractions:\n  - user_message: Hi\n";

/** A folder with two downloaded evals in folders of their own, and a scenario. */
async function downloaded() {
  const folder = await temporaryFolder();
  for (const name of ["one", "two"]) {
    const place = folder.file(name);
    mkdirSync(place);
    for (const file of ["eval.json", "runs.json", "file-Kd83hXz1.jsonl", "output_items.json"]) {
      const text = readFileSync(join(fixtures, "openai-evals", file), "utf8");
      writeFileSync(join(place, file), text.replaceAll("eval_68", `eval_${name}`).replace("Shop support", name));
    }
  }
  writeFileSync(folder.file("two/own.yaml"), own);
  return folder;
}

test("reads the files of an eval in one folder as one, and other files separately", async () => {
  await using folder = await downloaded();
  const read = await readScenarioFiles(["."], { folder: folder.path });
  expect(read.map(({ file, scenarios }) => [file, scenarios.map(({ id }) => id)])).toEqual([
    ["one/eval.json", ["one-0", "one-1", "one-2"]],
    ["two/eval.json", ["two-0", "two-1", "two-2"]],
    ["two/own.yaml", ["own"]],
  ]);
  expect(read[0]?.notes.map(({ file }) => file)).toContain("one/runs.json");
});

test("reads files named together as one eval", async () => {
  await using folder = await downloaded();
  cpSync(folder.file("one/file-Kd83hXz1.jsonl"), folder.file("data.jsonl"));
  const [read, ...others] = await readScenarioFiles(["data.jsonl", "one/eval.json"], { folder: folder.path });
  expect([read?.file, read?.scenarios.length, others]).toEqual(["one/eval.json", 3, []]);
  expect(read?.scenarios[0]?.interactions[0]?.checks).toHaveLength(4);
});

test("reads the other files when one is unreadable and onUnreadable is given", async () => {
  await using folder = await downloaded();
  writeFileSync(folder.file("two/broken.json"), '{"item": ');
  const options = { folder: folder.path, typed: [] };
  const names = ["two/broken.json", "two/eval.json", "two/output_items.json", "gone.json"];
  const problems: string[] = [];
  const read = await readFiles(names, { ...options, onUnreadable: ({ message }) => problems.push(message) });
  expect(read.map(({ file }) => file)).toEqual(["two/eval.json"]);
  expect(problems).toEqual([
    "gone.json does not exist",
    expect.stringContaining("two/broken.json: line 1, column 10: not valid JSON"),
  ]);
  await expect(readFiles(names, options)).rejects.toThrow("gone.json does not exist");
});

/** An archive of these members in the form Inspect writes. */
function zip(members: Readonly<Record<string, unknown>>, method: 0 | 8 | 93 = 8): Buffer {
  const pack = { 0: (data: Buffer) => data, 8: deflateRawSync, 93: zstdCompressSync }[method];
  const bodies: Buffer[] = [];
  const index: Buffer[] = [];
  let offset = 0;
  for (const [name, value] of Object.entries(members)) {
    const packed = pack(Buffer.from(JSON.stringify(value)));
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04_03_4b_50);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02_01_4b_50);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    bodies.push(local, Buffer.from(name), packed);
    index.push(entry, Buffer.from(name));
    offset += local.length + name.length + packed.length;
  }
  const count = Object.keys(members).length;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06_05_4b_50);
  end.writeUInt16LE(Math.min(count, 0xff_ff), 10);
  end.writeUInt32LE(offset, 16);
  const whole = Buffer.concat([...bodies, ...index]);
  return Buffer.concat([whole, ...(count > 0xff_ff ? longEnd({ count, offset, at: whole.length }) : []), end]);
}

/** The ZIP64 records of an archive with more than 65,534 members. */
function longEnd({ count, offset, at }: { count: number; offset: number; at: number }): Buffer[] {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06_06_4b_50);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07_06_4b_50);
  locator.writeBigUInt64LE(BigInt(at), 8);
  return [record, locator];
}

const sample = (id: number, epoch: number) => ({ id, epoch, input: `Question ${id}?`, target: `Answer ${id}.` });
const samples = {
  "samples/10_epoch_1.json": sample(10, 1),
  "samples/9_epoch_2.json": sample(9, 2),
  "samples/9_epoch_1.json": sample(9, 1),
};

test.each([
  ["stored", 0, "header.json"],
  ["deflated", 8, "header.json"],
  ["packed with zstd", 93, "header.json"],
  ["of a run that did not end", 8, "_journal/start.json"],
] as const)("reads the samples of an Inspect log %s in order", (_name, method, head) => {
  const text = readInspectLog(
    zip({ "summaries.json": [], ...samples, [head]: { version: 2, eval: { task: "t" } } }, method),
  );
  const { format, scenarios, notes } = importScenarios({ text: text ?? "", name: "a.eval" });
  expect(format).toBe("inspect-log");
  expect(
    scenarios.map(({ id, interactions }) => [id, interactions[0]?.user_message, interactions[0]?.reference_reply]),
  ).toEqual([
    ["9", "Question 9?", "Answer 9."],
    ["10", "Question 10?", "Answer 10."],
  ]);
  expect(notes.map(({ message }) => message)).toEqual(["the reply of epoch 2; the first epoch was kept"]);
});

test("reads a log with more than 65,535 samples", () => {
  const ids = Array.from({ length: 66_000 }, (_, index) => index + 1);
  const members = Object.fromEntries(ids.map((id) => [`samples/${id}_epoch_1.json`, { id }]));
  const text = readInspectLog(zip({ ...members, "header.json": { eval: {} } }, 0)) ?? "";
  expect((JSON.parse(text) as { samples: { id: number }[] }).samples.map(({ id }) => id)).toEqual(ids);
});

test("ignores other archives and texts, and refuses a broken log", () => {
  expect(readInspectLog(zip({ "xl/workbook.xml": "" }))).toBeUndefined();
  expect(readInspectLog(Buffer.from("id: a"))).toBeUndefined();
  const log = zip({ "header.json": { eval: {} }, ...samples });
  expect(() => readInspectLog(log.subarray(0, 100))).toThrow("the archive is incomplete");
  expect(() => readInspectLog(zip({ "header.json": {} }).fill(0xff, 41, 43))).toThrow(
    "header.json in the archive cannot be unpacked",
  );
});

test.each([0, 8, 93] as const)("limits the unpacked size of all members, compression method %i", (method) => {
  const archive = zip({ a: "a".repeat(600), b: "b".repeat(600), c: "c" }, method);
  const members = unzip(archive, { mostBytes: 1_000 });
  expect(members.get("a")?.()).toHaveLength(602);
  expect(() => members.get("b")?.()).toThrow("the archive unpacks to more than 500 MB");
});

test("finds named files and patterns in the folder, but no code and no other addresses", async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.file("tests"));
  await writeFile(folder.file("tests/b.yaml"), "\uFEFFb");
  await writeFile(folder.file("tests/a.csv"), "a");
  await writeFile(folder.file("tests/run.py"), "p");
  await writeFile(folder.file("schema.sql"), "s");
  const files = namedFilesIn(folder.path);
  expect(files("file://schema.sql")).toEqual([{ name: "schema.sql", text: "s" }]);
  const both = [
    { name: "tests/a.csv", text: "a" },
    { name: "tests/b.yaml", text: "b" },
  ];
  expect(files("file://tests/*")).toEqual(both);
  expect(files("tests/*.yaml")).toEqual([both[1]]);
  expect(files(`file://${folder.file("tests/a.csv")}`)).toEqual([both[0]]);
  for (const name of ["file://tests/run.py:make", "file://tests/run.py", "file://gone.csv", "https://a.example/a.csv"])
    expect(files(name)).toEqual([]);
});

test("names a file that is not text", async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("a.txt"), Buffer.from([0x61, 0xff, 0x62]));
  expect(() => namedFilesIn(folder.path)("a.txt")).toThrow(/^a\.txt: line 1: this file is not UTF-8/);
});

test("does not take brackets in file names for a pattern", async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.file("copy [1] {x}"));
  await writeFile(folder.file("copy [1] {x}/a.csv"), "a");
  await writeFile(folder.file("copy [1] {x}/b (2) [y].csv"), "b");
  const files = namedFilesIn(folder.file("copy [1] {x}"));
  expect(files("file://a.csv")).toEqual([{ name: "a.csv", text: "a" }]);
  expect(files("file://b (2) [y].csv")).toEqual([{ name: "b (2) [y].csv", text: "b" }]);
  expect(files("*.csv").map(({ name }) => name)).toEqual(["a.csv", "b (2) [y].csv"]);
});
