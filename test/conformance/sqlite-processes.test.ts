import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { sampleRun } from "./sample-runs.ts";
import { collect } from "./suite-helpers.ts";

const script = join(import.meta.dirname, "killed-writer.ts");
const turns = 3;

/** Runs a writer and kills it right after it has printed `killAfter` lines. Gives the lines it had printed by then. */
async function runWriter(file: string, killAfter: number): Promise<{ lines: string[]; code: number | null }> {
  const child = spawn(process.execPath, [script, file, String(turns)], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit") as Promise<[number | null]>;
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === killAfter) child.kill("SIGKILL");
  }
  const [code] = await exited;
  return { lines, code };
}

test("a writer killed at any moment loses nothing it has acknowledged, and the next one goes on", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  const run = sampleRun({ scenarios: 40, turns, settings: { attempts: 5 } });
  const acknowledged: string[] = [];
  let recovered = 0;
  // This process keeps the file open all along: a second one beside each writer.
  await using storage = await openSqlite({ file });
  await storage.store.runs.create(run);

  for (const killAfter of [1, 7, 61, 40]) {
    const { lines } = await runWriter(file, killAfter);
    acknowledged.push(...lines.filter((line) => line !== "ready"));
    const stored = await storedTurns(storage, run.id);
    expect(new Set(stored).size).toBe(stored.length);
    expect(acknowledged.filter((line) => !stored.includes(line))).toEqual([]);
    recovered += await storage.queue.recover();
  }
  const { code } = await runWriter(file, Number.POSITIVE_INFINITY);

  expect(code).toBe(0);
  expect(recovered).toBeGreaterThan(0);
  const places = 40 * 5 * turns;
  expect(await storedTurns(storage, run.id)).toHaveLength(places);
  expect(await storage.store.runs.unconcluded()).toEqual([run.id]);
  expect((await storage.store.runs.get(run.id))?.progress).toMatchObject({
    attempts_done: 200,
    interactions_done: places,
    interactions_failed: 0,
  });
});

test("processes that start at once on a new file migrate it once", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("new/rehearsal.db");
  const writers = await Promise.all([1, 2].map(() => runWriter(file, Number.POSITIVE_INFINITY)));
  expect(writers).toEqual(writers.map(() => ({ lines: ["ready"], code: 0 })));
});

test("connections that open a new file at the same time do not deadlock", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  const opened = await Promise.all([1, 2, 3, 4].map(() => openSqlite({ file })));
  const runs = await Promise.all(opened.map(({ store }) => store.runs.create(sampleRun())));
  expect(runs.map((run) => run.outcome)).toEqual(["created", "created", "created", "created"]);
  await Promise.all(opened.map((storage) => storage.close()));
});

async function storedTurns({ store }: Awaited<ReturnType<typeof openSqlite>>, runId: string): Promise<string[]> {
  const attempts = await collect(store.attempts.withInteractions(runId));
  return attempts.flatMap(({ id, interactions }) => interactions.map((turn) => `${id} ${turn.turn_index}`));
}
