import type { Run } from "../../src/contract/schemas/run.ts";
import type { ComparedRuns } from "../compare-api.ts";

/** What is chosen so far: "" stands for nothing. */
export type Choice = ComparedRuns;

interface CounterpartOptions {
  readonly choice: Choice;
  /** The one run that is chosen. */
  readonly chosen: Run;
  /** The newest first. */
  readonly runs: readonly Run[];
  /** Pinned for its test. */
  readonly pinned: string | undefined;
}

interface Counterpart {
  readonly run: Run;
  readonly pair: ComparedRuns;
}

/**
 * The run to set beside a single chosen one: the pinned baseline of its test, else the run of that test just before it. The first run of a
 * test is the baseline of the one after it.
 */
export function counterpart({ choice, chosen, runs, pinned }: CounterpartOptions): Counterpart | null {
  const others = runs.filter((run) => run.test_name === chosen.test_name && run.run_id !== chosen.run_id);
  const before =
    choice.candidate === ""
      ? undefined
      : (others.find((run) => run.run_id === pinned) ?? others.find((run) => run.created_at <= chosen.created_at));
  if (before) return { run: before, pair: { baseline: before.run_id, candidate: chosen.run_id } };
  const after = others.findLast((run) => run.created_at >= chosen.created_at);
  return after ? { run: after, pair: { baseline: chosen.run_id, candidate: after.run_id } } : null;
}
