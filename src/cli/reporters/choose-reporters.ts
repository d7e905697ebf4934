import { CliError } from "../cli-error.ts";
import { inContinuousIntegration } from "../terminal/output.ts";
import { fileReporter } from "./file.ts";
import { githubReporter } from "./github.ts";
import { lineReporter } from "./line.ts";
import type { ReporterName } from "./reporter-names.ts";
import type { Reporter } from "./reporter.ts";
import { jsonReporter, textReporter } from "./standard-output.ts";
import { ttyReporter } from "./tty.ts";

export interface ReporterChoice {
  readonly names: readonly ReporterName[];
  readonly outputs: readonly string[];
  readonly json: boolean;
}

/** Those that fill stdout with a document, so that only one of them can be had. */
const documents: readonly ReporterName[] = ["json", "junit", "markdown", "html"];

/** Who is told: what was asked for, else the bar on a terminal and plain lines elsewhere; on GitHub also its own. */
export function chooseReporters({ names, outputs, json }: ReporterChoice): Reporter[] {
  const asked = new Set<ReporterName>([...names, ...(json ? (["json"] as const) : [])]);
  const onStdout = documents.filter((name) => asked.has(name));
  if (onStdout.length > 1) {
    throw new CliError(`${onStdout.join(" and ")} would both be printed: write all but one to a file with -o`);
  }
  if (!asked.has("tty") && !asked.has("line")) asked.add(showsBar() && onStdout.length === 0 ? "tty" : "line");
  if (process.env["GITHUB_ACTIONS"] === "true") asked.add("github");
  const reporters = [...asked].map((name) => create(name, onStdout.length === 0));
  return [...reporters, ...outputs.map(fileReporter)];
}

const showsBar = (): boolean => Boolean(process.stderr.isTTY) && !inContinuousIntegration();

function create(name: ReporterName, summary: boolean): Reporter {
  switch (name) {
    case "tty":
      return ttyReporter();
    case "line":
      return lineReporter({ summary });
    case "json":
      return jsonReporter();
    case "junit":
    case "markdown":
    case "html":
      return textReporter(name);
    case "github":
      return githubReporter();
  }
}
