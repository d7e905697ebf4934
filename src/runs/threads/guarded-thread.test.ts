import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { createGuardedThread, ThreadOverrun } from "./guarded-thread.ts";

/** Does what it is told, and counts what it was told. */
const obedient = `
  const { parentPort } = require("node:worker_threads");
  let count = 0;
  parentPort.on("message", (order) => {
    count += 1;
    if (order === "loop") for (;;);
    if (order === "wait") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    if (order === "throw") throw new Error("as told");
    if (order === "leave") process.exit();
    if (order === "grow") for (const all = []; ; ) all.push(new Array(1000).fill(order));
    if (order === "hold") for (const all = Array.from({ length: 2600 }, () => new Array(1000).fill(order)); all; );
    if (order === "swell") globalThis.all = Array.from({ length: 5000 }, () => new Array(1000).fill(order));
    parentPort.postMessage(order + " " + count);
  });
  parentPort.postMessage("ready");
`;

function createObedient({
  longestMs = 60_000,
  patience = 200,
  idleMs = 60_000,
  mostMegabytes = 16,
  keptMegabytes = 64,
} = {}) {
  const workers: Worker[] = [];
  const thread = createGuardedThread<string, string>({
    start(resourceLimits) {
      const worker = new Worker(obedient, { eval: true, resourceLimits });
      workers.push(worker);
      return worker;
    },
    longestMs,
    patience,
    mostMegabytes,
    idleMs,
    keptMegabytes,
  });
  return { ...thread, workers };
}

test("starts with the first question and answers one at a time", async () => {
  const { ask, close, workers } = createObedient();
  expect(workers).toHaveLength(0);
  expect(await Promise.all([ask("a"), ask("b"), ask("c")])).toEqual(["a 1", "b 2", "c 3"]);
  expect(workers).toHaveLength(1);
  await close();
});

test("a thread that has grown is ended when it has answered, and gives its memory back", async () => {
  const { ask, close, workers } = createObedient({ mostMegabytes: 128, keptMegabytes: 16 });
  expect(await Promise.all([ask("a"), ask("swell"), ask("b")])).toEqual(["a 1", "swell 2", "b 1"]);
  expect(workers.map(({ threadId }) => threadId > 0)).toEqual([false, true]);
  await close();
});

test("serves askers round-robin", async () => {
  const { ask, close } = createObedient();
  const [one, other] = [{ asker: "one" }, { asker: "other" }];
  const asked = [ask("a", one), ask("b", one), ask("c", one), ask("d", other), ask("e")];
  expect(await Promise.all(asked)).toEqual(["a 1", "b 4", "c 5", "d 2", "e 3"]);
  await close();
});

test("gives up a question that takes too long, and starts a new thread for the next", async () => {
  const { ask, close, workers } = createObedient({ longestMs: 300 });
  const [endless, next] = await Promise.allSettled([ask("loop"), ask("a")]);
  expect(endless).toEqual({ status: "rejected", reason: new ThreadOverrun("time") });
  expect(next).toEqual({ status: "fulfilled", value: "a 1" });
  expect(workers).toHaveLength(2);
  await close();
});

test("counts CPU time, not time on a busy machine", async () => {
  const { ask, close } = createObedient({ longestMs: 300 });
  expect(await ask("wait")).toBe("wait 1");
  await close();
});

test.each(["grow", "hold"])("ends only the thread when a question takes too much memory: %s", async (question) => {
  const { ask, close } = createObedient();
  await expect(ask(question)).rejects.toEqual(new ThreadOverrun("memory"));
  expect(await ask("a")).toBe("a 1");
  await close();
});

test("rejects when the thread fails or exits", async () => {
  const { ask, close } = createObedient();
  await expect(ask("throw")).rejects.toThrow("as told");
  await expect(ask("leave")).rejects.toThrow("The thread has ended.");
  expect(await ask("a")).toBe("a 1");
  await close();
});

test("ends an idle thread, also on close, and starts it again", async () => {
  const { ask, close, workers } = createObedient({ idleMs: 10 });
  await ask("a");
  await new Promise((resolve) => workers[0]?.once("exit", resolve));
  expect(await ask("b")).toBe("b 1");
  const last = ask("c");
  await close();
  await last;
  expect(await ask("d")).toBe("d 1");
  await close();
  expect(workers).toHaveLength(3);
});

test("rejects an aborted question at once and skips it", async () => {
  const { ask, close } = createObedient({ longestMs: 300 });
  const left = new AbortController();
  const asked = [ask("loop", left), ask("loop", left), ask("a")];
  left.abort(new Error("gone"));
  await expect(asked[0]).rejects.toThrow("gone");
  await expect(asked[1]).rejects.toThrow("gone");
  await expect(ask("loop", left)).rejects.toThrow("gone");
  expect(await asked[2]).toBe("a 1");
  await close();
});

test("limits how long close waits for pending questions", async () => {
  const { ask, close } = createObedient();
  const asked = Promise.allSettled([ask("loop"), ask("loop"), ask("a", { asker: "other" })]);
  const over = new AbortController();
  const closed = close(over.signal);
  over.abort();
  await closed;
  for (const { status } of await asked) expect(status).toBe("rejected");
});
