import type { Warning } from "../../contract/errors/problem.ts";
import { scoreText } from "../../formats/export/results/report-text.ts";
import { noStyle, note, outputWidth, printMessage, styleFor } from "../terminal/output.ts";
import { widthOf } from "../terminal/table.ts";
import { durationText, plainLine, spentText } from "../terminal/text.ts";
import type { ProgressFigures, Reporter, RunOutcome, CommandEnd } from "./reporter.ts";
import { shownWarnings, summaryText } from "./summary-text.ts";

/** For a terminal: a progress bar with failures above it, then the summary unless stdout is used for a document. */
export function ttyReporter({ summary }: { summary: boolean }): Reporter {
  const bar = createProgressBar(process.stderr);
  const style = styleFor(process.stderr);
  return {
    onStart({ test_name, model_id, run_id, warnings }) {
      bar.print(style("dim", `${plainLine(test_name, 60)} on ${plainLine(model_id, 60)}  ${run_id}`));
      for (const line of warningLines(warnings)) bar.print(style("yellow", line));
    },
    onTurn({ scenario_id, attempt, interaction_id, error }, figures) {
      if (error) {
        const place = `${plainLine(scenario_id, 40)} attempt ${attempt} ${plainLine(interaction_id, 40)}`;
        bar.print(`${style("red", "✗")} ${place}: ${error.code}, ${plainLine(error.detail)}`);
      }
      bar.update(figures);
    },
    async onEnd(outcome) {
      bar.clear();
      if (summary) await printSummary(outcome, styleFor(process.stdout));
    },
    ...(summary && { onFinish: printRankingOf }),
  };
}

/** For logs: plain lines without escape codes. Progress goes to stderr, the summary to stdout unless it is used for a document. */
export function lineReporter({ summary = true }: { summary?: boolean } = {}): Reporter {
  let progress = createProgressLines(note);
  return {
    onStart({ test_name, model_id, run_id, warnings }) {
      progress = createProgressLines(note);
      note(`${plainLine(test_name, Infinity)} on ${plainLine(model_id, Infinity)}: run ${run_id}`);
      for (const line of warningLines(warnings)) note(line);
    },
    onTurn: (_turn, figures) => progress(figures),
    onEnd: (outcome) => (summary ? printSummary(outcome, noStyle) : undefined),
    onFinish: (outcomes, end) => (summary ? printRankingOf(outcomes, end) : undefined),
  };
}

/** The summary and, where nothing is judged, what can be seen all the same. */
async function printSummary(outcome: RunOutcome, style: typeof noStyle): Promise<void> {
  printMessage(summaryText(outcome, style, outputWidth()));
  if (outcome.digest.scenarios.some(({ verdict }) => verdict.outcome === "passed" || verdict.outcome === "failed"))
    return;
  const { firstLookText } = await import("./first-look-text.ts");
  const text = await firstLookText(outcome);
  if (text !== null) printMessage(text);
}

/** Said before the first call is paid for, and again in the summary. */
const warningLines = (warnings: readonly Warning[] = []): string[] =>
  warnings.slice(0, shownWarnings).map(({ pointer, message }) => plainLine(`${pointer} ${message}`, Infinity));

interface ProgressBar {
  update(figures: ProgressFigures): void;
  /** Prints a permanent line above the bar. */
  print(line: string): void;
  clear(): void;
}

const clearLine = "\r\u001B[2K";
const redrawMs = 80;

/** One line at the bottom of a terminal, redrawn a few times a second at most. */
function createProgressBar(stream: NodeJS.WriteStream, now: () => number = Date.now): ProgressBar {
  let drawn = "";
  let last = 0;
  const draw = (text: string): void => {
    stream.write(clearLine + text);
    drawn = text;
    last = now();
  };

  return {
    update(figures) {
      if (now() - last >= redrawMs || figures.done === figures.turns) draw(barText(figures, stream.columns || 80));
    },
    print(line) {
      stream.write(`${clearLine}${line}\n${drawn}`);
    },
    clear() {
      if (drawn !== "") draw("");
    },
  };
}

export function barText(figures: ProgressFigures, columns: number): string {
  const text = progressText(figures);
  const room = Math.min(30, columns - widthOf(text) - 4);
  if (room < 5) return [...text].slice(0, Math.max(0, columns - 1)).join("");
  const filled = figures.turns === 0 ? 0 : Math.round((room * figures.done) / figures.turns);
  return `${"█".repeat(filled)}${"░".repeat(room - filled)}  ${text}`;
}

/** Prints a line for each tenth of the run, and at least every ten seconds. */
export function createProgressLines(write: (line: string) => void): (figures: ProgressFigures) => void {
  let tenth = 0;
  let lastMs = 0;
  return (figures) => {
    const reached = figures.turns === 0 ? 10 : Math.floor((10 * figures.done) / figures.turns);
    if (reached <= tenth && figures.elapsedMs - lastMs < 10_000) return;
    tenth = Math.max(tenth, reached);
    lastMs = figures.elapsedMs;
    write(progressText(figures));
  };
}

/** `67/120 turns  2 failed  overall 0.842  $0.21  ETA 0:41` */
function progressText({ turns, done, failed, overall, spent, remainingMs }: ProgressFigures): string {
  return [
    `${done}/${turns} turns`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(overall === null ? [] : [`overall ${scoreText(overall)}`]),
    ...(spent === null ? [] : [spentText(spent)]),
    ...(remainingMs === null || done >= turns ? [] : [`ETA ${durationText(remainingMs)}`]),
  ].join("  ");
}

/** A single run has no ranking, so what makes one is not loaded for it. */
async function printRankingOf(outcomes: readonly RunOutcome[], { experiment }: CommandEnd): Promise<void> {
  if (experiment) {
    const { printExperiment } = await import("./experiment-text.ts");
    return printExperiment(experiment);
  }
  if (outcomes.length < 2) return;
  const { printRanking } = await import("./ranking-text.ts");
  await printRanking(outcomes);
}
