import { Worker } from "node:worker_threads";
import type { CheckQuestion } from "../evaluation/scorers/checks/check-elsewhere.ts";
import type { Judgement } from "../evaluation/scorers/scorer.ts";
import type { CheckAnswer } from "./check-thread.ts";
import { createGuardedThread, ThreadOverrun, type AskOptions } from "./guarded-thread.ts";

/** A thread that holds replies against the checks of requests. Started when first needed. */
export interface CheckRunnerThread {
  /** Null when the check took too long. */
  run(question: CheckQuestion, options?: AskOptions): Promise<Judgement | null>;
  /** What was asked is still answered, until `over` aborts. Whoever asks later starts it again. */
  close(over?: AbortSignal): Promise<void>;
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

/** Runs the checks that came with requests. Who writes a schema can make a small reply take years and all the memory there is. */
export function createCheckRunner({
  longestMs = 5_000,
  mostMegabytes = 512,
}: CheckRunnerOptions = {}): CheckRunnerThread {
  const thread = createGuardedThread<CheckQuestion, CheckAnswer>({
    start: () => new Worker(threadFile, { resourceLimits: { maxOldGenerationSizeMb: mostMegabytes } }),
    longestMs,
  });
  return {
    async run(question, asking) {
      const answer = await thread.ask(question, asking).catch((error: unknown) => {
        if (error instanceof ThreadOverrun) return null;
        throw error;
      });
      if (answer === null) return null;
      if ("failure" in answer) throw new Error(answer.failure);
      return answer.judgement;
    },
    close: (over) => thread.close(over),
  };
}
