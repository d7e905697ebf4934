import { CliError } from "../cli-error.ts";
import { note } from "../terminal/output.ts";
import type { EvalOptions } from "./eval-settings.ts";

/** What a run was made with, by the option that says it. */
const made = {
  endpoint: "--endpoint",
  model: "-m",
  attempts: "-a",
  name: "--name",
  protocol: "--protocol",
  system: "--system",
  stream: "--stream",
  history: "--history",
  priority: "--priority",
  filter: "--filter",
  onlyFailed: "--only-failed",
  first: "--first",
  sample: "--sample",
  seed: "--seed",
  maxCost: "--max-cost",
  maxSeconds: "--max-seconds",
  skipInvalid: "--skip-invalid",
} as const satisfies Partial<Record<keyof EvalOptions, string>>;

/** Looks at what was typed beside `--resume`: a dry run calls no model, and a run goes on with what it was made of. */
export function checkBesideResume(files: readonly string[], options: EvalOptions): void {
  const { resume, dryRun } = options;
  if (resume === undefined) return;
  if (dryRun) {
    throw new CliError(
      `--resume and --dry-run: which one? rehearsal show ${resume} calls nothing, and tells how far it is`,
    );
  }
  const unread = (Object.keys(made) as (keyof typeof made)[])
    .filter((option) => options[option] !== undefined)
    .map((option) => made[option]);
  const typed = [...files, ...unread];
  if (typed.length > 0) note(`The run goes on with what it was made of, whatever ${typed.join(", ")} says.`);
}
