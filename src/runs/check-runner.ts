import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { CheckQuestion, CheckRunner } from "../evaluation/scorers/checks/check-elsewhere.ts";
import type { Judgement } from "../evaluation/scorers/scorer.ts";
import type { CheckAnswer } from "./check-thread.ts";

/** A thread that holds replies against patterns and schemas. Started when first needed. */
export interface CheckRunnerThread {
  readonly run: CheckRunner;
  /** What was asked is still answered. Whoever asks later starts it again. */
  close(): Promise<void>;
}

export interface CheckRunnerOptions {
  /** How long one check may take. */
  readonly longestMs?: number;
  /** How much memory it may take. */
  readonly mostMegabytes?: number;
}

// Follows what this very file is: TypeScript in the repository, JavaScript in the published package.
const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
const threadFile = new URL(`./check-thread${extension}`, import.meta.url);

/**
 * Runs the checks that came with requests, one after the other. Who writes a schema can make a small reply take years and all the
 * memory there is: only the thread is busy with it, and is ended when its time is over.
 */
export function createCheckRunner({
  longestMs = 5_000,
  mostMegabytes = 512,
}: CheckRunnerOptions = {}): CheckRunnerThread {
  let last: Promise<unknown> = Promise.resolve();
  let thread: Worker | null = null;

  async function start(): Promise<Worker> {
    const worker = new Worker(threadFile, { resourceLimits: { maxOldGenerationSizeMb: mostMegabytes } });
    // Its end is seen by whoever waits for an answer; between two questions it is nobody's business.
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (thread === worker) thread = null;
    });
    await once(worker, "message");
    return (thread = worker);
  }

  async function end(): Promise<void> {
    const worker = thread;
    thread = null;
    await worker?.terminate();
  }

  async function ask(question: CheckQuestion): Promise<Judgement | null> {
    const worker = thread ?? (await start());
    worker.ref();
    const answer = await answerOf(worker, { question, longestMs });
    worker.unref();
    if (answer === null) {
      await end();
      return null;
    }
    if ("failure" in answer) throw new Error(answer.failure);
    return answer.judgement;
  }

  return {
    run(question) {
      const asked = last.then(() => ask(question));
      last = asked.catch(() => {});
      return asked;
    },
    async close() {
      await last;
      await end();
    },
  };
}

/** Null when the thread takes longer, or has died of the question. */
async function answerOf(
  worker: Worker,
  { question, longestMs }: { question: CheckQuestion; longestMs: number },
): Promise<CheckAnswer | null> {
  const over = new AbortController();
  // A timer that comes late may come together with the answer, which counts then.
  const timer = setTimeout(() => void nextTurn().then(() => over.abort()), longestMs);
  const died = () => over.abort();
  worker.once("exit", died);
  try {
    const answer = once(worker, "message", { signal: over.signal });
    worker.postMessage(question);
    return ((await answer) as [CheckAnswer])[0];
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    worker.off("exit", died);
  }
}
