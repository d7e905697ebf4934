import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { Run, StoredTurn } from "../../contract/schemas/run.ts";
import type { ProgressFigures } from "../eval/progress.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { NotedComparison } from "../gates/check-baseline.ts";
import type { GateCheck } from "../gates/check-gates.ts";

/** How one run ended, judged. */
export interface RunOutcome {
  readonly response: EvaluationResponse;
  readonly gates: readonly GateCheck[];
  readonly comparison: NotedComparison | null;
  readonly exitCode: ExitCode;
  /** Why it did not end well, in words; empty when it did. */
  readonly problems: readonly string[];
}

/** Which of the runs of one command it is, from 1 on. */
export interface RunPlace {
  readonly number: number;
  readonly of: number;
}

/** Tells somebody how a run goes and how it went. Every part is optional. */
export interface Reporter {
  onStart?(run: Run): void;
  onTurn?(turn: StoredTurn, figures: ProgressFigures): void;
  onEnd?(outcome: RunOutcome, place: RunPlace): void | Promise<void>;
  /** After the last run. */
  onFinish?(outcomes: readonly RunOutcome[], exitCode: ExitCode): void | Promise<void>;
}
