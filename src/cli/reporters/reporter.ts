import type { ExperimentPlan } from "../../contract/schemas/evaluation-request.ts";
import type { Experiment } from "../../contract/schemas/experiment.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { RunDigest } from "../../formats/export/results/run-digest.ts";
import type { Run, StoredTurn } from "../../contract/schemas/run.ts";
import { CliError, type ExitCode } from "../terminal/cli-error.ts";
import type { NotedComparison } from "../gates/compare-results.ts";
import type { GateCheck } from "../gates/evaluate-gates.ts";
import type { ReporterName } from "../options/choices.ts";
import type { ResultsPlace } from "../terminal/files.ts";
import { canRedraw } from "../terminal/output.ts";

/** Progress of a run. */
export interface ProgressFigures {
  readonly turns: number;
  readonly done: number;
  readonly failed: number;
  /** Mean of `overall` so far. */
  readonly overall: number | null;
  /** US dollars so far; null when no price is known. */
  readonly spent: number | null;
  readonly elapsedMs: number;
  readonly remainingMs: number | null;
}

/** An ended run with its gates evaluated. */
export interface RunOutcome {
  readonly digest: RunDigest;
  readonly gates: readonly GateCheck[];
  readonly comparison: NotedComparison | null;
  readonly exitCode: ExitCode;
  /** Why the run failed; empty when it did not. */
  readonly problems: readonly string[];
  /** The runs that would decide an undecided comparison, with their commands. */
  readonly next?: string | null;
  /** Options that find the run and its configuration again, for suggested commands. */
  readonly found?: readonly string[];
  /** Set for one of several variants. */
  readonly variant?: ExperimentPlan | undefined;
  /** Reads the whole results, for reporters that write them. */
  results(): Promise<EvaluationResponse>;
}

/** How a command ended. */
export interface CommandEnd {
  readonly exitCode: ExitCode;
  /** The variants side by side; null when the command had none. */
  readonly experiment: Experiment | null;
}

/** Reports progress and results of runs. Every method is optional. */
export interface Reporter {
  onStart?(run: Run): void;
  onTurn?(turn: StoredTurn, figures: ProgressFigures): void;
  onEnd?(outcome: RunOutcome, place: ResultsPlace): void | Promise<void>;
  /** After the last run. */
  onFinish?(outcomes: readonly RunOutcome[], finish: CommandEnd): void | Promise<void>;
}

interface ReporterChoice {
  readonly names: readonly ReporterName[];
  readonly outputs: readonly string[];
  readonly json: boolean;
}

/** Reporters that print a document to stdout: only one of them can be used. */
const documents: readonly ReporterName[] = ["json", "junit", "markdown", "html"];

/** The requested reporters; by default a progress bar on a terminal, plain lines elsewhere. GitHub Actions adds `github`. */
export async function chooseReporters({ names, outputs, json }: ReporterChoice): Promise<Reporter[]> {
  const asked = new Set<ReporterName>([...names, ...(json ? (["json"] as const) : [])]);
  const onStdout = documents.filter((name) => asked.has(name));
  if (onStdout.length > 1) {
    throw new CliError(`${onStdout.join(" and ")} would both print to stdout: write all but one to a file with -o`);
  }
  if (!asked.has("tty") && !asked.has("line"))
    asked.add(canRedraw(process.stderr) && onStdout.length === 0 ? "tty" : "line");
  if (process.env["GITHUB_ACTIONS"] === "true") asked.add("github");
  const summary = onStdout.length === 0;
  const reporters = await Promise.all([...asked].map((name) => createReporter(name, summary)));
  if (outputs.length === 0) return reporters;
  const { fileReporter } = await import("./documents.ts");
  return [...reporters, ...outputs.map(fileReporter)];
}

/** Refuses several XML or HTML documents on stdout: no program can read them. */
export function requireOneDocument(names: readonly ReporterName[], runs: number): void {
  const document = names.find((name) => name === "junit" || name === "html");
  if (document === undefined || runs < 2) return;
  const file = document === "junit" ? "junit.xml" : "report.html";
  throw new CliError(
    `${document} can print only one run, but there are ${runs} models: use -o ${file}, which writes a file for each`,
  );
}

/** Each reporter is loaded only when it is used. */
async function createReporter(name: ReporterName, summary: boolean): Promise<Reporter> {
  switch (name) {
    case "tty":
      return (await import("./terminal.ts")).ttyReporter({ summary });
    case "line":
      return (await import("./terminal.ts")).lineReporter({ summary });
    case "json":
      return (await import("./documents.ts")).jsonReporter();
    case "junit":
    case "markdown":
    case "html":
      return (await import("./documents.ts")).textReporter(name);
    case "github":
      return (await import("./github.ts")).githubReporter();
    case "otlp":
    case "langfuse":
      return (await import("./documents.ts")).destinationReporter(name);
  }
}

/** Adds the name of the variant, or of the model, when the command has several runs. */
export const nameAmongRuns = (
  name: string,
  { model_id }: Pick<RunDigest, "model_id">,
  { of }: ResultsPlace,
  variant?: RunOutcome["variant"],
): string => {
  if (of < 2) return name;
  return variant ? `${name} (${variant.variant})` : `${name} on ${model_id}`;
};
