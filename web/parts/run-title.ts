import { formatMoment } from "./format.ts";
import { runName } from "./run-name.ts";

interface TitledRun {
  readonly test_name: string;
  readonly created_at: string;
}

/**
 * A run that must be told from others of its test, in the title of a tab or read out. They differ in when they were made, and a narrow tab shows the first
 * letters only.
 */
export const runTitle = (run: TitledRun, model: string): string =>
  `${formatMoment(run.created_at, Date.now())} ${runName(run)} (${model})`;
