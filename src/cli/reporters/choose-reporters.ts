import { CliError } from "../cli-error.ts";
import { canRedraw } from "../terminal/output.ts";
import type { ReporterName } from "./reporter-names.ts";
import type { Reporter } from "./reporter.ts";

interface ReporterChoice {
  readonly names: readonly ReporterName[];
  readonly outputs: readonly string[];
  readonly json: boolean;
}

/** Those that fill stdout with a document, so that only one of them can be had. */
const documents: readonly ReporterName[] = ["json", "junit", "markdown", "html"];

/** Who is told: what was asked for, else the bar on a terminal and plain lines elsewhere; on GitHub also its own. */
export async function chooseReporters({ names, outputs, json }: ReporterChoice): Promise<Reporter[]> {
  const asked = new Set<ReporterName>([...names, ...(json ? (["json"] as const) : [])]);
  const onStdout = documents.filter((name) => asked.has(name));
  if (onStdout.length > 1) {
    throw new CliError(`${onStdout.join(" and ")} would both be printed: write all but one to a file with -o`);
  }
  if (!asked.has("tty") && !asked.has("line"))
    asked.add(canRedraw(process.stderr) && onStdout.length === 0 ? "tty" : "line");
  if (process.env["GITHUB_ACTIONS"] === "true") asked.add("github");
  const summary = onStdout.length === 0;
  const reporters = await Promise.all([...asked].map((name) => create(name, summary)));
  if (outputs.length === 0) return reporters;
  const { fileReporter } = await import("./file.ts");
  return [...reporters, ...outputs.map(fileReporter)];
}

/** One XML or HTML document after another is none that anything reads. */
export function checkRunsOnStdout(names: readonly ReporterName[], runs: number): void {
  const document = names.find((name) => name === "junit" || name === "html");
  if (document === undefined || runs < 2) return;
  const file = document === "junit" ? "junit.xml" : "report.html";
  throw new CliError(`${document} prints one run, and there are ${runs} models: -o ${file} writes a file for each`);
}

/** Each is loaded when it is asked for: a run waits for none of the others. */
async function create(name: ReporterName, summary: boolean): Promise<Reporter> {
  switch (name) {
    case "tty":
      return (await import("./tty.ts")).ttyReporter({ summary });
    case "line":
      return (await import("./line.ts")).lineReporter({ summary });
    case "json":
      return (await import("./standard-output.ts")).jsonReporter();
    case "junit":
    case "markdown":
    case "html":
      return (await import("./standard-output.ts")).textReporter(name);
    case "github":
      return (await import("./github.ts")).githubReporter();
    case "otlp":
    case "langfuse":
      return (await import("./destination.ts")).destinationReporter(name);
  }
}
