import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { RunJudgement } from "../../formats/export/results/result-export.ts";
import { exportResults } from "../../formats/export/results/result-export.ts";
import { resultFormats } from "../../formats/formats.ts";
import { CliError } from "../cli-error.ts";

/** Formats results can be written in. */
export const renderFormats: readonly string[] = ["json", "html", ...resultFormats.map(({ id }) => id)];

const formatOfEnding: Readonly<Record<string, string>> = {
  json: "json",
  jsonl: "jsonl",
  ndjson: "jsonl",
  csv: "csv",
  xml: "junit",
  md: "markdown",
  markdown: "markdown",
  html: "html",
  htm: "html",
};

/** The format a file's name asks for. */
export function formatOfFile(file: string): string {
  const format = formatOfEnding[/\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? ""];
  if (format !== undefined) return format;
  throw new CliError(`${file}: which format? Use one of these endings: ${Object.keys(formatOfEnding).join(", ")}`);
}

/** The results of a run as text in one of the formats. JUnit and Markdown also say how it was judged as a whole, where it was. */
export async function renderResults(
  response: EvaluationResponse,
  format: string,
  judgements: readonly RunJudgement[] = [],
): Promise<string> {
  if (format === "json") return `${JSON.stringify(response, null, 2)}\n`;
  if (format === "html") {
    const { htmlReport } = await import("./html-report.ts");
    return htmlReport(response);
  }
  const known = resultFormats.find(({ id }) => id === format);
  if (!known) throw new CliError(`"${format}" is no result format: use one of ${renderFormats.join(", ")}`);
  return exportResults(known.create, { ...response, judgements });
}
