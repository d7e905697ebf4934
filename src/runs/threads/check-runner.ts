import { Worker } from "node:worker_threads";
import type { ScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import { threadFile } from "../../base/thread-file.ts";
import type { OffloadedCheck } from "../../evaluation/checks/offload-check.ts";
import type { ScorerResult } from "../../scoring/scorers/scorer.ts";
import type { ComparisonTask } from "../../evaluation/tools/probes.ts";
import type { ScorerProblem } from "../../evaluation/checks/scorer-problems.ts";
import type { CheckAnswer, CheckTask } from "./check-thread.ts";
import { createGuardedThread, ThreadOverrun, type AskOptions } from "./guarded-thread.ts";

/** Threads that compile the checks of requests, apply them to replies and make comparisons. Started on first use. */
export interface CheckRunnerThread {
  /** Null when the check timed out. */
  run(question: OffloadedCheck, options?: AskOptions): Promise<ScorerResult | null>;
  /** Makes a comparison with what a request expects. Null when it timed out. */
  compare(task: ComparisonTask, options?: AskOptions): Promise<{ readonly result: unknown } | null>;
  /** Problems of the patterns and schemas of a request. Null when compiling them timed out. */
  problemsOf(scorers: readonly ScorerSetting[], options?: AskOptions): Promise<readonly ScorerProblem[] | null>;
  /** Answers pending questions until `over` aborts. A later question starts the thread again. */
  close(over?: AbortSignal): Promise<void>;
}

interface CheckRunnerOptions {
  /** The CPU time limit of one check. */
  readonly longestMs?: number;
  /** The wall-clock limit as a multiple of the CPU limit. */
  readonly patience?: number;
  /** The memory limit of one check. */
  readonly mostMegabytes?: number;
}

const file = threadFile("check-thread", import.meta.url);

/** Runs the checks of requests in a thread: a hostile schema can take years and all memory even for a small reply. */
export function createCheckRunner({
  longestMs = 5_000,
  patience,
  mostMegabytes = 512,
}: CheckRunnerOptions = {}): CheckRunnerThread {
  const createThread = () =>
    createGuardedThread<CheckTask, CheckAnswer>({
      start: (resourceLimits) => new Worker(file, { resourceLimits }),
      longestMs,
      patience,
      mostMegabytes,
    });
  const [shared, forSlow] = [createThread(), createThread()];
  /** Callers whose checks have timed out use a thread of their own, so that others do not wait for them. */
  const slow = new Set<string | null>();

  /** Null when it timed out. */
  async function ask(task: CheckTask, asking: AskOptions = {}) {
    const { asker = null } = asking;
    const thread = slow.has(asker) ? forSlow : shared;
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
    async compare(task, asking) {
      const answer = await ask(task, asking);
      return answer && "result" in answer ? answer : null;
    },
    async problemsOf(scorers, asking) {
      const answer = await ask({ scorers }, asking);
      return answer && "problems" in answer ? answer.problems : null;
    },
    async close(over) {
      await Promise.all([shared.close(over), forSlow.close(over)]);
    },
  };
}
