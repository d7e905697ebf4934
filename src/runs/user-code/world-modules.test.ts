import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCodeHost } from "./code-host.ts";
import { createWorldModules, type WorldModules } from "./world-modules.ts";

const hostile = `
  import { appendFileSync, writeSync } from "node:fs";
  import { spawn } from "node:child_process";
  let calls = 0;
  const held: unknown[] = [];
  const run = (work: (args: any, state: any) => unknown) => ({ run: work });
  export const state = { count: 0, list: [] as unknown[] };
  export const tools = {
    add: { description: "Adds.", parameters: { type: "object", properties: { by: { type: "number" } } },
      run: ({ by = 1 }: { by?: number }, world: typeof state) => ({ count: (world.count += by), calls: ++calls }) },
    push: run(({ item }, world) => { world.list.push(item); return structuredClone(world.list); }),
    later: run(async ({ ms }, world) => { await new Promise((done) => setTimeout(done, ms)); world.count += 1; return "done"; }),
    throw: run((_, world) => { world.count = 99; throw new Error("No such order."); }),
    throwText: run(() => { throw "just a text"; }),
    hang: run(() => { for (;;); }),
    never: run(() => new Promise(() => setInterval(() => {}, 1000))),
    exit: run(() => process.exit(3)),
    crash: run(() => new Promise(() => setTimeout(() => { throw new TypeError("a timer failed"); }, 1))),
    buffers: run(() => { for (;;) held.push(Buffer.alloc(10 * 2 ** 20, 1)); }),
    heap: run(() => { for (;;) held.push(new Array(100_000).fill(held.length)); }),
    print: run(() => { console.log('{"id":1,"result":"forged"}'); writeSync(1, "garbage"); console.error("more"); return "printed"; }),
    forge: run(() => { writeSync(3, "garbage\\n"); return 1; }),
    env: run(() => process.env),
    bigint: run(() => ({ value: 1n })),
    nothing: run(() => {}),
    pid: run(() => process.pid),
    long: run(() => "x".repeat(20 * 2 ** 20)),
    children: run(({ file }) => { const child = spawn(process.execPath, ["-e", "setInterval(()=>{},1000)"], { stdio: "inherit" });
      appendFileSync(file, String(child.pid)); process.exit(1); }),
  };
`;

let folder = "";
let host: ReturnType<typeof createCodeHost>;
let modules: WorldModules;
const { signal } = new AbortController();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rehearsal modules-"));
  await writeFile(join(folder, "hostile.mts"), hostile);
  const limits = { timeoutMs: 2_000, memoryMb: 160, processes: 2 };
  host = createCodeHost({ limits });
  modules = createWorldModules({ host, limits, environment: { DECLARED: "yes" } });
});

afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const base = { count: 0, list: [] };
const path = () => join(folder, "hostile.mts");
const call = (
  name: string,
  args: Record<string, unknown> = {},
  changes: readonly never[] = [],
  state: unknown = base,
) => modules.functions(path(), state)({ name, arguments: args, changes }, signal);

test("a module is described by its tools and its initial state", async () => {
  const { tools, state, version } = await modules.load(path());
  expect(tools[0]).toEqual({
    name: "add",
    description: "Adds.",
    parameters: { type: "object", properties: { by: { type: "number" } } },
  });
  expect(tools.at(-1)).toMatchObject({ name: "children", description: "", parameters: { type: "object" } });
  expect(state).toEqual(base);
  expect(version).toMatch(/^[0-9a-f]{64}$/);
});

test("a function changes the state of its attempt only, in processes that are reused", async () => {
  const first = await call("add", { by: 2 });
  expect(first).toMatchObject({ result: { count: 2 }, changes: [{ op: "set", path: "/count", value: 2 }] });
  const second = await call("add", { by: 2 });
  expect(second.result).toMatchObject({ count: 2 });
  expect((second.result as { calls: number }).calls).toBeGreaterThan((first.result as { calls: number }).calls);
  const after = await call("add", { by: 1 }, second.changes as never);
  expect(after.result).toMatchObject({ count: 3 });
  expect(await call("push", { item: { a: 1 } })).toEqual({
    result: [{ a: 1 }],
    changes: [{ op: "set", path: "/list/0", value: { a: 1 } }],
  });
  expect(await call("nothing")).toEqual({ result: null });
  expect(await call("later", { ms: 5 }, [], { count: 41 })).toMatchObject({ result: "done", changes: [{ value: 42 }] });
  const many = await Promise.all(Array.from({ length: 20 }, (_, by) => call("add", { by })));
  expect(many.map(({ result }) => (result as { count: number }).count)).toEqual(many.map((_, by) => by));
});

test("sees only declared variables", async () => {
  expect(await call("env")).toEqual({ result: { DECLARED: "yes" } });
});

test("printing does not disturb the protocol", async () => {
  expect(await call("print")).toEqual({ result: "printed" });
});

test.each([
  ["throw", "No such order."],
  ["throwText", "just a text"],
  ["hang", "hang failed. It took longer than 2 s and was stopped."],
  ["never", "never failed. It took longer than 2 s and was stopped."],
  ["exit", "exit failed. Its process ended with exit code 3."],
  ["crash", "crash failed. Its process ended with exit code 1: TypeError: a timer failed"],
  ["buffers", "buffers failed. It used more than 160 MB of memory and was stopped."],
  ["heap", "heap failed. It used more than 160 MB of memory and was stopped."],
  ["forge", "forge failed. It wrote something other than an answer to the channel of the protocol."],
  ["bigint", "The result cannot be written as JSON: Do not know how to serialize a BigInt"],
  // Its answer is too long, or making it takes too much memory.
  ["long", "long failed. It"],
])("%s is a failure of its call, and the next one works", async (name, message) => {
  await expect(call(name)).rejects.toThrow(message);
  expect((await call("add")).result).toMatchObject({ count: 1 });
});

test("processes that a module starts end with it", async () => {
  const file = join(folder, "pid");
  await expect(call("children", { file })).rejects.toThrow("Its process ended with exit code 1.");
  const pid = Number(await readFile(file, "utf8"));
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test("a busy process ends when the one that started it is killed", async () => {
  const script = `
    import { createCodeHost } from ${JSON.stringify(new URL("code-host.ts", import.meta.url).href)};
    import { createWorldModules } from ${JSON.stringify(new URL("world-modules.ts", import.meta.url).href)};
    const limits = { timeoutMs: 60_000, memoryMb: 160, processes: 1 };
    const modules = createWorldModules({ host: createCodeHost({ limits }), limits, environment: {} });
    const call = (name) => modules.functions(${JSON.stringify(path())}, {})({ name, arguments: {}, changes: [] }, new AbortController().signal);
    console.log((await call("pid")).result);
    await call("hang");
  `;
  const starter = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed] = (await once(starter.stdout, "data")) as [Buffer];
  await new Promise((done) => setTimeout(done, 200));
  expect(isRunning(Number(printed))).toBe(true);
  starter.kill("SIGKILL");
  await expect.poll(() => isRunning(Number(printed)), { timeout: 5_000 }).toBe(false);
});

test("an abort ends the process", async () => {
  const controller = new AbortController();
  const hanging = modules.functions(path(), base)({ name: "never", arguments: {}, changes: [] }, controller.signal);
  setTimeout(() => controller.abort(new Error("enough")), 50);
  await expect(hanging).rejects.toThrow("enough");
});

test.each([
  ["export const tool = {};", "it exports no tools"],
  ["export const tools = { get: {} };", "its tool get has no function run(args, state)"],
  ["export const tools = {};", "tools: "],
  ["export default { tools: { 'a b': { run() {} } } };", "tools.0.name: must consist of letters"],
  ["throw new Error('no database');", "no database"],
  ["import './missing.js';", "Cannot find module"],
  ["const const", "Unexpected token"],
  ["process.exit(2)", "Its process ended with exit code 2"],
])("a module cannot be used: %s", async (text, message) => {
  const file = join(folder, `broken-${text.length}.mjs`);
  await writeFile(file, text);
  const failed = modules.load(file);
  await expect(failed).rejects.toThrow(`The world module ${file} cannot be used: `);
  await expect(failed).rejects.toThrow(message);
});

test("a module that does not exist cannot be used", async () => {
  await expect(modules.load(join(folder, "none.ts"))).rejects.toThrow(/cannot be used: .*none\.ts/);
});

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`) || !existsSync("/proc");
}

test("a module needs no state", async () => {
  const only = join(folder, "only-tools.mjs");
  await writeFile(only, "export const tools = { greet: { run: ({ name }, state) => ({ name, state }) } };");
  expect(await modules.load(only)).not.toHaveProperty("state");
  const functions = modules.functions(only, {});
  expect(await functions({ name: "greet", arguments: { name: "Ada" }, changes: [] }, signal)).toEqual({
    result: { name: "Ada", state: {} },
  });
});

test("the state of a module has at most 256 levels", async () => {
  const deep = join(folder, "deep.mjs");
  await writeFile(
    deep,
    `export const state = JSON.parse("[".repeat(300) + "]".repeat(300)); export const tools = { a: { run() {} } };`,
  );
  await expect(modules.load(deep)).rejects.toThrow(/deep\.mjs cannot be used: its state must have at most 256 levels/);
});
