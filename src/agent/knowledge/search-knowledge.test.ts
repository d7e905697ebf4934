import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createKnowledgeIndex, type KnowledgeOptions } from "./knowledge-index.ts";
import { smallPdf } from "../testing/small-pdf.ts";
import { searchKnowledge } from "./search-knowledge.ts";

const context = { signal: new AbortController().signal, now: () => 0 };

async function knowledge(files: Record<string, string | Uint8Array>, options: Partial<KnowledgeOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "knowledge-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const write = async (name: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);
  const index = createKnowledgeIndex({ folder, checkEveryMs: 0, ...options });
  const tool = searchKnowledge({ index });
  const ask = async (query: string, limit?: number) =>
    String(await tool.run({ query, ...(limit && { limit }) }, context));
  return { folder, index, ask, write };
}

const delivery = "# Delivery\n\nParcels take 2 to 4 working days.\n\n## Express\n\nExpress costs 9 euros.\n";

test("returns the best passages first, with file, heading and lines", async () => {
  const { ask } = await knowledge({
    "help/delivery.md": delivery,
    "returns.txt": "Unused items can be returned within 30 days.",
  });
  const answer = await ask("How much is express delivery?");
  expect(answer.split("\n\n")[0]).toBe("[1] help/delivery.md › Delivery › Express (line 7)\nExpress costs 9 euros.");
  expect(await ask("return", 1)).toBe("[1] returns.txt (line 1)\nUnused items can be returned within 30 days.");
});

test("cites HTML by title and headings, a PDF by page", async () => {
  const { ask } = await knowledge({
    "faq.html": "<title>Questions</title><script>zebra</script><h1>Gifts</h1><p>We wrap presents for 3 euros.",
    "manual.pdf": smallPdf(["Fill the kettle with water.", "The warranty lasts two years."]),
  });
  expect(await ask("wrap a present", 1)).toBe("[1] faq.html › Questions › Gifts\nWe wrap presents for 3 euros.");
  expect(await ask("warranty", 1)).toBe("[1] manual.pdf (page 2)\nThe warranty lasts two years.");
  expect(await ask("zebra")).toContain("No passage matches.");
});

test("reads a file that is not UTF-8 as windows-1252", async () => {
  const { ask } = await knowledge({ "villes.txt": Buffer.from("Orléans est à 130 km.", "latin1") });
  expect(await ask("Orléans", 1)).toBe("[1] villes.txt (line 1)\nOrléans est à 130 km.");
});

test("finds words in other forms, with typos, without accents, and in scripts without spaces", async () => {
  const { ask } = await knowledge({ "a.md": "Refunds reach your café account.", "b.md": "配送料は無料です。" });
  for (const query of ["refund", "REFUNDS", "reefunds", "cafe"]) expect(await ask(query)).toContain("a.md");
  for (const query of ["配送", "配", "料", "送料無料"]) expect(await ask(query)).toContain("b.md");
  expect(await ask("送配")).toContain("No passage matches.");
});

test("ignores stop words, unless there are no others", async () => {
  const { ask } = await knowledge({ "a.md": "The lamp is on the table.", "b.md": "It was he who is." });
  expect(await ask("What is the weather?")).toContain("No passage matches.");
  expect(await ask("who is it")).toContain("b.md");
});

test("accepts an empty folder and notices new, changed and deleted files", async () => {
  const { ask, write, folder, index } = await knowledge({});
  expect(await ask("lamp")).toBe("There are no documents to search.");
  await write("a.md", "The lamp is green.");
  expect(await ask("lamp")).toContain("green");
  await write("a.md", "The lamp is orange.");
  await utimes(join(folder, "a.md"), 1, 1);
  expect(await ask("lamp")).toContain("orange");
  await rm(join(folder, "a.md"));
  expect(await ask("lamp")).toBe("There are no documents to search.");
  expect(index.report()).toEqual({ files: 0, passages: 0, skipped: [], isReading: false });
});

test("does not list the folder again within checkEveryMs", async () => {
  let time = 0;
  const { ask, write } = await knowledge({ "a.md": "green lamp" }, { checkEveryMs: 100, now: () => time });
  await ask("lamp");
  await write("b.md", "orange lamp");
  expect(await ask("orange")).toContain("No passage matches.");
  time = 100;
  expect(await ask("orange")).toContain("b.md");
});

test("skips and reports links out of the folder, large files and files of another type", async () => {
  const outside = await knowledge({ "secret.md": "The secret is zebra." });
  const { ask, folder, index } = await knowledge(
    {
      "a.md": "ok",
      "large.md": "zebra ".repeat(200),
      "broken.pdf": "zebra",
      "data.txt": "zebra\0",
      ".hidden.md": "zebra",
    },
    { maxFileBytes: 1000 },
  );
  await symlink(join(outside.folder, "secret.md"), join(folder, "link.md"));
  await symlink(outside.folder, join(folder, "linked-folder"));
  await mkdir(join(folder, ".store"));
  await writeFile(join(folder, ".store", "b.md"), "all ok");
  await symlink(join(folder, ".store", "b.md"), join(folder, "inside.md"));
  await symlink(join(folder, "nowhere.md"), join(folder, "dangling.md"));
  expect(await ask("zebra")).toContain("No passage matches.");
  expect(await ask("ok")).toContain("inside.md");
  expect(Object.fromEntries(index.report().skipped.map(({ name, reason }) => [name, reason]))).toEqual({
    "link.md": "it links to a file outside the folder",
    "large.md": "it is larger than 1000 bytes",
    "dangling.md": "it cannot be read",
    "broken.pdf": "its content does not fit its file extension",
    "data.txt": "its content does not fit its file extension",
  });
});

test("finds a linked file once, under its own name", async () => {
  const { folder, ask, index } = await knowledge({
    "m.md": "Refunds take a week.",
    ".store/hidden.md": "Gifts are free.",
  });
  for (const name of ["a.md", "z.md"]) {
    await symlink(join(folder, "m.md"), join(folder, name));
    await symlink(join(folder, ".store/hidden.md"), join(folder, `gifts-${name}`));
  }
  expect(await ask("refunds")).toBe("[1] m.md (line 1)\nRefunds take a week.");
  expect(await ask("gifts are free")).toBe("[1] gifts-a.md (line 1)\nGifts are free.");
  expect(index.report()).toMatchObject({ files: 2, passages: 2, skipped: [] });
});

test("does not delay a search for a slow document, and says so", async () => {
  const { promise, resolve } = Promise.withResolvers<{ passages: []; missing: null }>();
  const { ask, index } = await knowledge(
    { "a.md": "Refunds take a week.", "book.pdf": "" },
    { longestWaitMs: 50, readPdf: () => promise },
  );
  const notice = "Some documents are still being read and are not searched yet.";
  while (index.report().passages === 0) await ask("refunds");
  expect(await ask("refunds")).toBe(`[1] a.md (line 1)\nRefunds take a week.\n\n${notice}`);
  expect(await ask("gifts")).toBe(`No passage matches so far. ${notice}`);
  resolve({ passages: [], missing: null });
  await index.refresh();
  expect(await ask("refunds")).toBe("[1] a.md (line 1)\nRefunds take a week.");
});

/** Root may read everything. */
async function asNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test("skips unreadable folders and special files", async () => {
  const { ask, folder, index } = await knowledge({ "a.md": "green lamp", "lost+found/b.md": "zebra" });
  execFileSync("mkfifo", [join(folder, "pipe.md")]);
  await chmod(folder, 0o755);
  await chmod(join(folder, "lost+found"), 0);
  expect(await asNobody(() => ask("lamp"))).toContain("a.md");
  expect(index.report().skipped.toSorted((left, right) => (left.name < right.name ? -1 : 1))).toEqual([
    { name: "lost+found", reason: "it cannot be read" },
    { name: "pipe.md", reason: "it is not a file" },
  ]);
});

test("reports an unreadable file and searches it once it is readable", async () => {
  const { ask, folder, index } = await knowledge({ "a.md": "green lamp" });
  await chmod(folder, 0o755);
  await chmod(join(folder, "a.md"), 0);
  await asNobody(() => ask("lamp"));
  expect(index.report().skipped).toEqual([{ name: "a.md", reason: "it cannot be read" }]);
  await chmod(join(folder, "a.md"), 0o644);
  expect(await asNobody(() => ask("lamp"))).toContain("a.md");
});

test("logs once what is not searched, also in part", async () => {
  const lines: object[] = [];
  const warn = (fields: object) => void lines.push(fields);
  const log = { debug: () => {}, info: () => {}, warn };
  const files = { "no.pdf": "not a PDF", "scan.pdf": smallPdf([""]), "long.txt": "word ".repeat(500_000) };
  const { ask } = await knowledge(files, { log });
  expect(await ask("word")).toContain("long.txt");
  await ask("word");
  expect(lines).toEqual([
    { file: "long.txt", reason: "only its first 2000000 characters are searched" },
    { file: "no.pdf", reason: "its content does not fit its file extension" },
    { file: "scan.pdf", reason: "it contains no text; it may be a scan" },
  ]);
});

test("limits the number and total size of files", async () => {
  const files = { "a.md": "lamp", "b.md": "lamp", "c.md": "lamp" };
  const few = await knowledge(files, { maxFiles: 2 });
  await few.index.refresh();
  expect(few.index.report()).toMatchObject({ files: 2, skipped: [{ reason: "only 2 files are searched" }] });
  const small = await knowledge(files, { maxTotalBytes: 9 });
  await small.index.refresh();
  expect(small.index.report()).toMatchObject({
    files: 2,
    skipped: [{ name: "c.md", reason: "the folder is too large" }],
  });
});

test("reports a missing folder without its path", async () => {
  const index = createKnowledgeIndex({ folder: join(tmpdir(), "no-such-folder-here") });
  const failure = await Promise.resolve(searchKnowledge({ index }).run({ query: "x" }, context)).catch(
    (error: unknown) => error as Error,
  );
  expect(failure).toMatchObject({ name: "ToolError", message: "The documents cannot be read at the moment." });
});

test("shares one reading of the folder between concurrent searches", async () => {
  const { ask, index } = await knowledge({ "a.md": "green lamp" });
  const answers = await Promise.all(["lamp", "green", "lamp"].map((query) => ask(query)));
  expect(answers.every((answer) => answer.includes("a.md"))).toBe(true);
  expect(index.report().passages).toBe(1);
});
