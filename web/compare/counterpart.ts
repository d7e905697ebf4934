import type { Run } from "../../src/contract/run.ts";
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

/** The run to set beside a single chosen one: the pinned baseline of its test, else the run of that test just before it, or after. */
export function counterpart({ choice, chosen, runs, pinned }: CounterpartOptions): Run | null {
  const others = runs.filter((run) => run.test_name === chosen.test_name && run.run_id !== chosen.run_id);
  if (choice.candidate === "") return others.findLast((run) => run.created_at >= chosen.created_at) ?? null;
  const baseline = others.find((run) => run.run_id === pinned);
  return baseline ?? others.find((run) => run.created_at <= chosen.created_at) ?? null;
}
