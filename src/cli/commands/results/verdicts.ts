import { counted } from "../../../base/text.ts";
import { userInfo } from "node:os";
import { Argument, Option, type Command } from "commander";
import { formatFigure } from "../../../base/numbers.ts";
import type { Agreement } from "../../../contract/schemas/judging/human-verdict.ts";
import { writeLabelSheet, writeVerdictFile } from "../../../formats/verdict-file.ts";
import { decodeUtf8 } from "../../../formats/documents/decode-text.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { readBytes, refuseOverwrite, writeWholeFile } from "../../terminal/files.ts";
import { correctionLines } from "../../reporters/corrections-text.ts";
import { nonEmptyName } from "../../options/parsers.ts";
import { withForce, withSource, type SourceOptions } from "../../options/shared-options.ts";
import { readClientSettings } from "../../../settings/client-settings.ts";
import { openSource, serverFromEnvironment } from "../../sources/open-source.ts";
import { resolveRunId, type RunSource } from "../../sources/run-source.ts";
import { note, printJson, printLine } from "../../terminal/output.ts";

interface VerdictOptions extends SourceOptions {
  readonly output?: string;
  readonly format?: "csv" | "jsonl";
  readonly rater?: string;
  readonly question?: string;
  readonly sampling?: "random" | "picked";
  readonly force?: boolean;
  readonly json?: boolean;
}

const actions = ["export", "import", "next", "show"] as const;

/** `rehearsal verdicts` */
export function declare(command: Command): void {
  withSource(
    command
      .addArgument(new Argument("<action>", actions.join(", ")).choices([...actions]))
      .argument("[run]", "id of the run, part of it, a test's name, or latest", "latest")
      .argument("[file]", "import: the file to read, CSV or JSON lines, - for standard input"),
  )
    .option("-o, --output <file>", "export, next: file to write (default: stdout)")
    .addOption(
      new Option("--format <format>", "export: format (default: by the file's name, else csv)").choices([
        "csv",
        "jsonl",
      ]),
    )
    .option(
      "--rater <name>",
      "import: who gave the verdicts that name no one (default: the rater of REHEARSAL_API_KEY, else your user name)",
      nonEmptyName,
    )
    .option(
      "--question <name>",
      "import: the question of verdicts that name none; show, next: the question",
      nonEmptyName,
    )
    .addOption(
      new Option(
        "--sampling <how>",
        "import: how the replies were chosen, unless the file says so (default: picked, which corrects no score)",
      ).choices(["random", "picked"]),
    )
    .option("--json", "print the answer as one JSON object")
    .action(verdicts);
  withForce(command);
}

async function verdicts(
  action: (typeof actions)[number],
  text: string,
  file: string | undefined,
  options: VerdictOptions,
): Promise<void> {
  if (action !== "import" && file !== undefined)
    throw new CliError(`verdicts ${action} takes no file: ${action === "show" ? "leave it out" : "use -o FILE"}`);
  if (action === "import" && file === undefined)
    throw new CliError("verdicts import needs a file: rehearsal verdicts import RUN FILE");
  if (action === "export" || action === "next") await refuseOverwrite(options.output, options);
  await using source = await openSource(options);
  const runId = await resolveRunId(source, text);
  // Awaited: the source is closed when this function returns.
  if (action === "export") await exportVerdicts(source, runId, options);
  else if (action === "show") await showVerdicts(source, runId, options);
  else if (action === "next") await writeNext(source, runId, options);
  else await importVerdicts(source, { runId, file: file ?? "" }, options);
}

async function exportVerdicts(
  source: RunSource,
  runId: string,
  { output, format, json }: VerdictOptions,
): Promise<void> {
  const found = await source.verdicts(runId);
  if (json) return printJson(found);
  const written = writeVerdictFile(found.verdicts, format ?? (output?.endsWith(".jsonl") ? "jsonl" : "csv"));
  await writeVerdicts(written, output);
  note(`${counted(found.verdicts.length, "verdict")} of ${runId}`);
}

async function writeVerdicts(text: string, output: string | undefined): Promise<void> {
  if (output === undefined) process.stdout.write(text);
  else await writeWholeFile(output, text);
}

/** The replies to label next, as a table with an empty column `choice` to fill in and import. */
async function writeNext(source: RunSource, runId: string, { output, question, json }: VerdictOptions): Promise<void> {
  const { label_next } = await source.corrections(runId);
  const next = question === undefined ? label_next[0] : label_next.find((entry) => entry.question === question);
  if (!next) {
    const known = label_next.map((entry) => entry.question);
    throw new CliError(
      known.length === 0
        ? `the run ${runId} has no judge, so no score is to be corrected`
        : `--question: must be one of ${known.join(", ")}`,
    );
  }
  if (json) return printJson({ run_id: runId, ...next });
  const { question: asked } = await source.agreement(runId, { question: next.question });
  const { results } = await source.results(runId);
  await writeVerdicts(
    writeLabelSheet(next, { results, text: asked.text, choices: Object.keys(asked.choices) }),
    output,
  );
  note(
    `${counted(next.replies.length, "reply", "replies")} to label: fill in choice, then rehearsal verdicts import ${runId} FILE`,
  );
}

async function importVerdicts(
  source: RunSource,
  { runId, file }: { readonly runId: string; readonly file: string },
  { rater: typed, question, sampling, json, ...where }: VerdictOptions,
): Promise<void> {
  const rater = typed ?? (hasKey(where) ? undefined : userName());
  const text = decodeUtf8(await readBytes(file, file));
  const stored = await source.storeVerdicts(runId, { text, rater, question, sampling });
  if (json) return printJson({ run_id: runId, ...stored });
  const skipped = stored.skipped > 0 ? `, ${counted(stored.skipped, "row")} without a choice skipped` : "";
  printLine(`stored ${counted(stored.stored, "verdict")} with ${runId}${skipped}`);
  for (const { pointer, message } of stored.warnings ?? []) note(`${pointer.split("/").at(-1)} ${message}`);
}

/** With a key, a service knows who gives the verdicts. */
function hasKey({ server, dataDir }: SourceOptions): boolean {
  const isServed = (server ?? serverFromEnvironment(dataDir)) !== undefined;
  return isServed && readClientSettings(process.env).apiKey !== null;
}

/** Undefined where the system knows no name, as in some containers. */
function userName(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch {
    return undefined;
  }
}

async function showVerdicts(source: RunSource, runId: string, { question, json }: VerdictOptions): Promise<void> {
  const agreement = await source.agreement(runId, { question });
  const corrections = await source.corrections(runId);
  if (json) return printJson({ run_id: runId, agreement, corrections });
  for (const line of [...agreementLines(agreement), ...correctionLines(corrections)]) printLine(line);
}

function agreementLines({ question, raters, fleiss, pairs, judge, sentence }: Agreement): string[] {
  const figure = ({ value, ci_lower, ci_upper }: Agreement["fleiss"]): string => {
    if (value === null) return "–";
    return (
      formatFigure(value) +
      (ci_lower === null || ci_upper === null ? "" : ` (${formatFigure(ci_lower)} to ${formatFigure(ci_upper)})`)
    );
  };
  return [
    `${question.name}: ${raters.map(({ rater, verdicts: given }) => `${rater} ${given}`).join(", ") || "no verdicts"}`,
    sentence,
    ...(fleiss.value === null ? [] : [`Fleiss' kappa ${figure(fleiss)}`]),
    ...pairs.map(
      ({ raters: [left, right], kappa }) =>
        `Cohen's kappa ${left} and ${right}: ${figure(kappa)} on ${counted(kappa.replies, "reply", "replies")}`,
    ),
    ...(judge && judge.replies > 0
      ? [`Cohen's kappa of the judge and people: ${figure(judge)} on ${counted(judge.replies, "reply", "replies")}`]
      : []),
  ];
}
