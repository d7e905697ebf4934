import { writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { AgentMemory } from "../../src/contract/ports/agent-memory.ts";
import type { JournalPart } from "../../src/contract/ports/journal.ts";
import type { World } from "../../src/contract/schemas/acting/world.ts";
import type { StoredKey } from "../../src/contract/ports/api-keys.ts";
import { createKey } from "../../src/services/http/auth/key-store.ts";
import { moveToPostgres } from "../../src/storage/move-to-postgres.ts";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { thisHost } from "../../src/storage/tables/host.ts";
import { StoreFileError } from "../../src/storage/tables/database.ts";
import { runCli } from "../cli/run-cli.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { newRunId, runEnd, runStart, sampleAnswer } from "./sample-agent-runs.ts";
import { sampleVerdict } from "./verdicts-suite.ts";
import { sampleAudit, sampleReply, sampleRun, sampleScenario } from "./sample-runs.ts";
import { collect, ending, storedTurn } from "./suite-helpers.ts";

const journalParts = Array.from({ length: 20 }, (_, number): JournalPart => {
  const call = { id: `c${number}`, name: "f", arguments: {}, error: "down" };
  return { turn_index: 1, number, entries: [{ type: "call", call }] };
});

test("everything is copied unchanged, and unfinished runs continue at the target", async () => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  const file = folder.file("rehearsal.db");
  // Together so large that the state is stored apart from the scenarios.
  const world: World = { state: { text: "x".repeat(5 * 1024 * 1024) }, tools: [] };
  const scenarios = ["a", "b", "c"].map((id) => ({ ...sampleScenario(id, 2), world }));
  const ended = sampleRun({ scenarios, created_at: 1, owner: "somebody" });
  const open = sampleRun({ scenarios: 3, turns: 2, created_at: 2, idempotency: { key: "k", hash: "h" } });
  const source = await openSqlite({ file });
  await source.library.put([{ scenario: sampleScenario("kept"), version: "v1" }], { at: 5, demo: false });
  await source.audits.record(sampleAudit, 7);
  for (const run of [ended, open]) await source.store.runs.create(run);
  const talk = await rememberTalk(source.agent);
  const claimed = await source.queue.claim({ worker: "w", limit: 100, perRun: 100 });
  for (const [index, { lease, run_id }] of claimed.entries()) {
    const agent_reply = hostileTexts[index % 6]![1];
    await source.store.interactions.store(lease, { turn_index: 0, reply: sampleReply({ agent_reply }), scores: null });
    await Promise.all(journalParts.map((part) => source.store.journal.append(lease, part)));
    if (run_id === ended.id) await source.queue.finish(lease, { average_scores: { success: 1 } });
  }
  await source.store.runs.finish(ended.id, ending());
  await source.store.verdicts.change(ended.id, { put: [sampleVerdict()], withdraw: [] });
  await expect(moveToPostgres({ file, url: database.url })).rejects.toBeInstanceOf(StoreFileError);
  for (const { lease } of claimed) await source.queue.release(lease);
  const expected = {
    runs: await source.store.runs.list({ limit: 9 }),
    ended: await collect(source.store.attempts.withInteractions(ended.id)),
    numbered: (await source.store.interactions.after(ended.id, 0, 100)).turns,
  };
  await source.close();

  const keys = await keyOf("ci");
  expect(await moveToPostgres({ file, url: database.url, keys })).toEqual({
    runs: 2,
    skipped: 0,
    behind: [],
    scenarios: 1,
    audits: 1,
    agent_runs: 1,
    threads: 1,
    apart: 0,
  });
  expect(await moveToPostgres({ file, url: database.url })).toEqual({
    runs: 0,
    skipped: 2,
    behind: [],
    scenarios: 0,
    audits: 0,
    agent_runs: 0,
    threads: 0,
    apart: 0,
  });

  await using target = await openPostgres({ url: database.url });
  expect(await target.store.runs.list({ limit: 9 })).toEqual(expected.runs);
  expect(await target.store.runs.scenarios(ended.id)).toEqual(ended.scenarios);
  expect(await collect(target.store.attempts.withInteractions(ended.id))).toEqual(expected.ended);
  expect((await target.store.interactions.after(ended.id, 0, 100)).turns).toEqual(expected.numbered);
  for (const { lease } of claimed) {
    expect(await target.store.journal.ofAttempt(lease.attempt_id)).toEqual(journalParts);
  }
  expect(await target.store.verdicts.ofRun(ended.id)).toEqual([sampleVerdict()]);
  expect((await target.library.get("kept"))?.version).toBe("v1");
  expect(await target.audits.hasPassed(sampleAudit.fingerprint)).toBe(true);
  expect((await target.store.runs.create(open)).outcome).toBe("replayed");
  expect(await target.agent.runLog.get(talk.runId, null)).toEqual(talk.record);
  expect((await target.agent.threads.get(talk.thread))?.messages).toEqual(talk.messages);
  expect(await target.agent.answers.claim(talk.key)).toEqual({ outcome: "answered", answer: talk.answer });
  expect(await target.agent.openRuns.take(talk.runId, null)).toMatchObject({
    run: { state: talk.messages },
    done: [{ said: hostileTexts }],
  });
  expect(await target.keys?.list()).toMatchObject(keys);
  expect((await target.agent.handovers.get(null, ["handed-over"])).get("handed-over")).toEqual(talk.messages);
  const again = await target.queue.claim({ worker: "w", limit: 100, perRun: 100 });
  expect(again.map(({ run_id, tries }) => [run_id, tries])).toEqual([0, 1, 2].map(() => [open.id, 2]));
  for (const { lease } of again) {
    expect(await target.store.interactions.store(lease, storedTurn(0))).toBe(false);
    expect(await target.store.interactions.store(lease, storedTurn(1))).toBe(true);
  }
  const [last] = (await target.store.interactions.after(open.id, 0, 100)).turns.slice(-1);
  expect(last?.turn_index).toBe(1);
});

test("attempts of dead processes do not prevent the copy", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  const source = await openSqlite({ file });
  await source.store.runs.create(sampleRun({ scenarios: 1 }));
  await source.queue.claim({ worker: `${thisHost()}:4194999:gone`, limit: 1, perRun: 1 });
  await source.close();
  await using first = await createTestDatabase();
  expect(await moveToPostgres({ file, url: first.url })).toMatchObject({ runs: 1 });

  // As a copy from another host has it, or one from before this host started: its steady clock was further on.
  const database = new DatabaseSync(file);
  database.exec("update attempt set lease_owner = 'elsewhere:1:w', lease_until = lease_until + 1e9");
  database.close();
  await using second = await createTestDatabase();
  expect(await moveToPostgres({ file, url: second.url })).toMatchObject({ runs: 1 });
});

test("a run that is being rescored prevents the copy", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  await using source = await openSqlite({ file });
  const run = sampleRun();
  await source.store.runs.create(run);
  await source.store.runs.finish(run.id, ending());
  const hold = await source.store.runs.holdForRescore(run.id);
  await using database = await createTestDatabase();
  await expect(moveToPostgres({ file, url: database.url })).rejects.toThrow("is in use");
  await source.store.runs.releaseAfterRescore(hold!);
  expect(await moveToPostgres({ file, url: database.url })).toMatchObject({ runs: 1 });
});

test("runs that continued at the source after a copy are named", async () => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  const file = folder.file("rehearsal.db");
  const [further, ended, there, equal] = [1, 2, 3, 4].map((created_at) => sampleRun({ created_at }));
  await using source = await openSqlite({ file });
  for (const run of [further!, ended!, there!, equal!]) await source.store.runs.create(run);
  await source.store.runs.finish(equal!.id, ending());
  expect(await moveToPostgres({ file, url: database.url })).toMatchObject({ runs: 4, behind: [] });

  const storeTurn = async ({ store, queue }: Pick<typeof source, "store" | "queue">, id: string) => {
    const [claimed] = await queue.claim({ worker: "w", limit: 1, perRun: 1, runs: new Set([id]) });
    expect(await store.interactions.store(claimed!.lease, storedTurn(0))).toBe(true);
    await queue.release(claimed!.lease);
  };
  await storeTurn(source, further!.id);
  await source.store.runs.finish(ended!.id, ending());
  await using target = await openPostgres({ url: database.url });
  await storeTurn(target, there!.id);
  const again = await moveToPostgres({ file, url: database.url });
  expect(again).toMatchObject({ runs: 0, skipped: 4, behind: [further!.id, ended!.id] });
});

test("existing data of the target stays, and the newest version of a scenario wins", async () => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  const file = folder.file("rehearsal.db");
  const idempotency = { key: "k", hash: "h" };
  const [here, there] = [sampleRun({ idempotency }), sampleRun({ idempotency: { ...idempotency, hash: "other" } })];
  const version = (id: string, name: string) => [{ scenario: sampleScenario(id), version: name }];
  {
    await using source = await openSqlite({ file });
    await source.store.runs.create(here);
    await source.library.put(version("later-here", "v1"), { at: 1, demo: false });
    await source.library.put(version("later-here", "v2"), { at: 4, demo: false });
    await source.library.put(version("later-there", "v2"), { at: 2, demo: false });
  }
  await using target = await openPostgres({ url: database.url });
  await target.store.runs.create(there);
  await target.library.put(version("later-here", "v1"), { at: 2, demo: true });
  await target.library.put(version("later-here", "v3"), { at: 3, demo: true });
  await target.library.put(version("later-there", "v3"), { at: 3, demo: false });

  expect(await moveToPostgres({ file, url: database.url })).toMatchObject({ runs: 1, skipped: 0, scenarios: 2 });
  expect(await moveToPostgres({ file, url: database.url })).toMatchObject({ runs: 0, skipped: 1, scenarios: 0 });
  expect((await target.store.runs.list({ limit: 9 })).runs.map(({ id }) => id).toSorted()).toEqual(
    [here.id, there.id].toSorted(),
  );
  expect(await target.store.runs.create(there)).toMatchObject({ outcome: "replayed", run: { id: there.id } });
  const listed = async () =>
    (await target.library.list({ limit: 9 })).entries.map((entry) => [entry.id, entry.version, entry.versions]);
  expect(await listed()).toEqual([
    ["later-here", "v2", 3],
    ["later-there", "v3", 2],
  ]);
  expect((await target.library.versions("later-here")).map((one) => one.version)).toEqual(["v2", "v3", "v1"]);
  // A stored run is no demo, wherever it was stored.
  await target.library.removeDemo();
  expect((await target.library.versions("later-here")).map((one) => one.version)).toEqual(["v2", "v1"]);
});

test("a second copy adds what is new, unless a run continued at both places", async () => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  const file = folder.file("rehearsal.db");
  const [longer, both, ahead] = ["longer", "both", "ahead"].map((id) => ({ owner: null, id })) as [Key, Key, Key];
  const say = ({ agent }: { agent: AgentMemory }, key: Key, content: string) =>
    agent.endTurn({ thread: { key, messages: [{ type: "human", content }] } });
  const said = async ({ agent }: { agent: AgentMemory }, key: Key) =>
    (await agent.threads.get(key))?.messages.map(({ content }) => content);
  const runId = newRunId();
  const waiting = { runId, run: { owner: null, thread_id: null, state: {}, expires_at: Date.now() + 3_600_000 } };
  {
    await using source = await openSqlite({ file });
    for (const key of [longer, both, ahead]) await say(source, key, "first");
    source.agent.runLog.append(runId, runStart());
    source.agent.runLog.append(runId, runEnd({ state: "waiting" }));
    await source.agent.endTurn({ waiting });
  }
  expect(await moveToPostgres({ file, url: database.url })).toMatchObject({ threads: 3, agent_runs: 1, apart: 0 });
  {
    await using source = await openSqlite({ file });
    for (const key of [longer, both]) await say(source, key, "here");
    await source.agent.openRuns.take(runId, null);
    source.agent.runLog.append(runId, runEnd({ text: "Done." }));
    await source.agent.endTurn({ ended: runId });
  }
  await using target = await openPostgres({ url: database.url });
  for (const key of [both, ahead]) await say(target, key, "there");
  expect(await moveToPostgres({ file, url: database.url })).toMatchObject({ threads: 1, agent_runs: 1, apart: 1 });
  expect(await moveToPostgres({ file, url: database.url })).toMatchObject({ threads: 0, agent_runs: 0, apart: 1 });
  expect(await said(target, longer)).toEqual(["first", "here"]);
  expect(await said(target, both)).toEqual(["first", "there"]);
  expect(await said(target, ahead)).toEqual(["first", "there"]);
  expect((await target.agent.runLog.list({ owner: null, limit: 9 })).runs).toMatchObject([{ state: "completed" }]);
  expect((await target.agent.runLog.get(runId, null))?.entries).toHaveLength(3);
  expect(await target.agent.openRuns.get(runId, null)).toBeNull();
});

type Key = { readonly owner: null; readonly id: string };

/** One of everything the agent remembers, in texts that are hard to copy. */
async function keyOf(owner: string): Promise<readonly StoredKey[]> {
  const made: StoredKey[] = [];
  await createKey({ add: async (keys) => void made.push(...keys) }, { owner, scopes: ["agent"] });
  return made;
}

async function rememberTalk(agent: AgentMemory) {
  const runId = newRunId();
  const messages = hostileTexts.map(([, content]) => ({ type: "human" as const, content }));
  const thread = { owner: null, id: "t" };
  const key = { owner: null, key: "k", hash: "h" };
  const answer = sampleAnswer(hostileTexts[0]![1]);
  agent.runLog.append(runId, runStart());
  agent.runLog.append(runId, runEnd({ text: hostileTexts[2]![1], state: "waiting" }));
  await agent.answers.claim(key);
  await agent.endTurn({
    thread: { key: thread, messages },
    waiting: { runId, run: { owner: null, thread_id: null, state: messages, expires_at: Date.now() + 60_000 } },
    answer: { key, stored: answer },
  });
  await agent.handovers.put({ key: "handed-over", owner: null, runId, state: messages });
  const record = await agent.runLog.get(runId, null);
  // The run was decided about, but did not end.
  await agent.openRuns.take(runId, null);
  await agent.openRuns.note(runId, { said: hostileTexts });
  return { runId, record, thread, messages, key, answer };
}

test("migrate-to copies the runs of a folder, and says the next time that they are already there", async () => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  const cwd = folder.path;
  await writeFile(folder.file("one.json"), '{"id":"one","interactions":[{"id":"1","user_message":"Hi"}]}');
  await runCli(["eval", "one.json", "-m", "demo/scripted"], { cwd });
  const copied = await runCli(["store", "migrate", database.url, "--json"], { cwd });
  expect(JSON.parse(copied.stdout)).toMatchObject({ runs: 1 });
  const { stdout } = await runCli(["store", "migrate", database.url], { cwd });
  expect(stdout).toMatch(/: 0 runs and 0 scenarios\nalready there: 1 run\n/);
});
