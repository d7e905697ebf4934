import { randomUUIDv7 } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import type { World } from "../../contract/schemas/acting/world.ts";
import { createRuns } from "../create-runs.ts";
import { startBench } from "../../../test/support/run-bench.ts";
import { createCodeHost } from "../user-code/code-host.ts";
import { loadRunModules } from "./run-worlds.ts";
import { createWorldModules, type WorldModules } from "../user-code/world-modules.ts";

const notes = `
  import { appendFileSync } from "node:fs";
  export const state = { notes: [] };
  export const tools = {
    note: {
      description: "Notes a text.",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      run({ text }, state) {
        appendFileSync(process.env.CALLS, text + " ");
        if (text === "bad") throw new Error("A bad note.");
        state.notes.push(text);
        return state.notes;
      },
    },
  };
`;

let folder = "";
let modules: WorldModules;
let host: ReturnType<typeof createCodeHost>;
const callsFile = () => join(folder, "calls");
const callsMade = async () => (await readFile(callsFile(), "utf8")).trim().split(" ");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rehearsal-notes-"));
  await writeFile(join(folder, "notes.mjs"), notes);
  const limits = { timeoutMs: 10_000, memoryMb: 256, processes: 2 };
  host = createCodeHost({ limits });
  modules = createWorldModules({ host, limits, environment: { CALLS: callsFile() } });
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const noteCall = (text: string) =>
  sampleReply("", { tool_calls: [{ id: text, name: "note", arguments: JSON.stringify({ text }) }] });

/** Notes these texts, then repeats the last result. */
function noting(...texts: readonly string[]): ChatModel {
  return async ({ messages }) => {
    const done = messages.filter(({ role }) => role === "tool").length;
    const next = texts[done];
    return next === undefined ? sampleReply(messages.at(-1)?.content ?? "") : noteCall(next);
  };
}

async function scenario(expected: readonly string[]) {
  const path = join(folder, "notes.mjs");
  const { tools, version } = await modules.load(path);
  return {
    id: "s",
    interactions: [{ id: "1", user_message: "Go" }],
    world: { module: path, tools, module_version: version },
    expect: {
      state: { "/notes": expected },
      state_after: expected.map((text) => ({ name: "note", arguments: { text } })),
    },
  };
}

const own = { trust: "operator" } as const;

test("functions act on the state of their attempt, and a failure is an answer like any other", async () => {
  await writeFile(callsFile(), "");
  await using bench = await startBench({
    models: { model: noting("a", "bad", "b") },
    worldModules: modules,
    helpers: own,
    ownRuns: [],
  });
  const response = await bench.evaluate({ test_batch: await scenario(["a", "b"]), attempts: 4 });
  for (const { interactions, outcome } of response.results.scenarios[0]?.attempts ?? []) {
    expect(interactions[0]).toMatchObject({
      agent_reply: '["a","b"]',
      tool_calls: [{ result: ["a"] }, { error: "A bad note." }, { result: ["a", "b"] }],
    });
    expect(outcome).toMatchObject({ value: 1 });
  }
  // Such a run is no test of the agent of the command.
  expect(response).not.toHaveProperty("own_agent");
});

test("a run goes on at the step in a process that has the module, and no function runs again", async () => {
  await writeFile(callsFile(), "");
  const cut = Promise.withResolvers<void>();
  let isDown = false;
  const whole = noting("a", "b", "c");
  const model: ChatModel = async (request, options) => {
    const done = request.messages.filter(({ role }) => role === "tool").length;
    if (done === 2 && !isDown) {
      isDown = true;
      cut.resolve();
      await new Promise((_, reject) => options.signal.addEventListener("abort", () => reject(options.signal.reason)));
    }
    return whole(request, options);
  };
  await using bench = await startBench({ models: { model }, worldModules: modules, helpers: own, ownRuns: [] });
  const { id, tied } = await bench.create({ test_batch: await scenario(["a", "b", "c"]) });
  expect(tied).toBe(true);
  await cut.promise;
  await bench.runs.stop({ graceMs: 0 });
  expect(await callsMade()).toEqual(["a", "b"]);

  const start = async (number: number, options: object) => {
    const runs = createRuns({
      store: bench.store,
      queue: bench.queue,
      createModel: () => model,
      isDemo: () => false,
      workerId: `test:${process.pid}:${number}`,
      newId: randomUUIDv7,
      concurrency: { global: 1, perRun: 1 },
      heartbeatMs: 5_000,
      onError: (error) => {
        throw error;
      },
      ...options,
    });
    await runs.start();
    return runs;
  };
  const stranger = await start(2, {});
  await new Promise((done) => setTimeout(done, 300));
  expect(await stranger.get(id, null)).toMatchObject({ state: "running", progress: { attempts_done: 0 } });
  await stranger.stop({ graceMs: 0 });

  const successor = await start(3, { worldModules: modules, ownRuns: [id] });
  const run = await successor.wait(id, AbortSignal.timeout(15_000));
  const [attempt] = (await bench.results(run)).results.scenarios[0]?.attempts ?? [];
  await successor.stop({ graceMs: 1_000 });
  expect(attempt?.outcome).toMatchObject({ value: 1 });
  // The rest are those of the fresh world that the final state is compared with.
  expect(await callsMade()).toEqual(["a", "b", "c", "a", "b", "c"]);
});

test("a run needs its module as it was, in a process that runs modules", async () => {
  const given = await scenario(["a"]);
  const settings = { protocol: "openai-chat" } as const;
  const load = (world: object, from?: WorldModules) =>
    loadRunModules({ settings, scenarios: [{ world: { ...given.world, ...world } as World }] }, from);
  expect((await load({}, modules))?.contents.size).toBe(1);
  await expect(load({ module_version: "another" }, modules)).rejects.toThrow(
    "notes.mjs has other tools or another initial state than when the run began",
  );
  await expect(load({ module: join(folder, "gone.mjs") }, modules)).rejects.toThrow("gone.mjs cannot be used");
  await expect(load({})).rejects.toThrow("rehearsal eval --resume");
});
