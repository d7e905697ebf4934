import { Worker } from "node:worker_threads";
import type { ScorerSetting } from "../contract/schemas/scorer-setting.ts";
import { threadFile } from "../base/thread-file.ts";
import type { OffloadedCheck } from "../evaluation/scorers/checks/offload-check.ts";
import type { ScorerResult } from "../evaluation/scorers/scorer.ts";
import type { ScorerProblem } from "../evaluation/scorers/scorer-problems.ts";
import type { CheckAnswer, CheckTask } from "./check-thread.ts";
import { createGuardedThread, ThreadOverrun, type AskOptions } from "./guarded-thread.ts";

/** Threads that make the checks of requests ready and hold replies against them. Started when first needed. */
export interface CheckRunnerThread {
  /** Null when the check took too long. */
  run(question: OffloadedCheck, options?: AskOptions): Promise<ScorerResult | null>;
  /** What is wrong with the patterns and schemas of a request. Null when finding out took too long. */
  problemsOf(scorers: readonly ScorerSetting[], options?: AskOptions): Promise<readonly ScorerProblem[] | null>;
  /** What was asked is still answered, until `over` aborts. Whoever asks later starts it again. */
  close(over?: AbortSignal): Promise<void>;
}

interface CheckRunnerOptions {
  /** How long one check may take. */
  readonly longestMs?: number;
  /** How much memory it may take. */
  readonly mostMegabytes?: number;
}

const file = threadFile("check-thread", import.meta.url);

/** Runs the checks that came with requests. Who writes a schema can make a small reply take years and all the memory there is. */
export function createCheckRunner({
  longestMs = 5_000,
  mostMegabytes = 512,
}: CheckRunnerOptions = {}): CheckRunnerThread {
  const createThread = () =>
    createGuardedThread<CheckTask, CheckAnswer>({
      start: (resourceLimits) => new Worker(file, { resourceLimits }),
      longestMs,
      mostMegabytes,
    });
  const [usual, beside] = [createThread(), createThread()];
  /** Whose questions took too long once: from then on nobody else waits for them. */
  const slow = new Set<string | null>();

  /** Null when it took too long. */
  async function ask(task: CheckTask, asking: AskOptions = {}) {
    const { asker = null } = asking;
    const thread = slow.has(asker) ? beside : usual;
    const answer = await thread.ask(task, asking).catch((error: unknown) => {
      if (!(error instanceof ThreadOverrun)) throw error;
      slow.add(asker);
      return null;
    });
    if (answer && "failure" in answer) throw new Error(answer.failure);
    return answer;
  }

  return {
    async run(question, asking) {
      const answer = await ask(question, asking);
      return answer && "judgement" in answer ? answer.judgement : null;
    },
    async problemsOf(scorers, asking) {
      const answer = await ask({ scorers }, asking);
      return answer && "problems" in answer ? answer.problems : null;
    },
    async close(over) {
      await Promise.all([usual.close(over), beside.close(over)]);
    },
  };
}
