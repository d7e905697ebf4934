import { styleText } from "node:util";
import { exitCodes } from "./cli-error.ts";
import { withOwnCommand } from "./next-command.ts";
import { escapeControlCodes, plainJson } from "./text.ts";

/** Prints one line of data to stdout. */
export function printLine(text: string): void {
  printText(`${text}\n`);
}

/** Prints text that already has its line breaks to stdout. */
export function printText(text: string): void {
  write(process.stdout, text);
}

/** Prints one JSON document to stdout: indented on a terminal, compact for a program. */
export function printJson(value: unknown): void {
  printLine(neutralizeJson(process.stdout.isTTY ? plainJson(value, 2) : JSON.stringify(value)));
}

/** Prints results in an export format. Build-server commands in them are neutralized where the format can escape them. */
export function printResults(text: string, format: string): void {
  printText(neutralizers[format]?.(text) ?? text);
}

/** Prints text for a person to stdout, with build-server commands neutralized. */
export function printMessage(text: string): void {
  printLine(neutralize(text));
}

/** Prints progress, notes and problems to stderr, so that they never mix with data. A person gets commands that can be typed. */
export function note(text: string): void {
  const shown = process.stderr.isTTY ? withOwnCommand(text) : text;
  write(process.stderr, `${neutralize(shown)}\n`);
}

/** Prints a line that the build server is meant to act on. */
export function printWorkflowCommand(line: string): void {
  write(process.stderr, `${line}\n`);
}

export type Style = (format: Parameters<typeof styleText>[0], text: string) => string;

/** Colours for one stream; Node turns them off for non-terminals and `NO_COLOR`. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  return (format, text) => styleText(format, text, { stream });
}

/** For files and tests. */
export const noStyle: Style = (_format, text) => text;

/** Columns of the terminal; Infinity when stdout is not one. */
export function outputWidth(
  { isTTY, columns }: Pick<NodeJS.WriteStream, "isTTY" | "columns"> = process.stdout,
): number {
  return (isTTY && columns) || Infinity;
}

/** True on a build server: no colours, no progress bar, no questions. */
export function inContinuousIntegration(environment: NodeJS.ProcessEnv = process.env): boolean {
  const { CI } = environment;
  return CI !== undefined && CI !== "" && CI !== "false" && CI !== "0";
}

/** True when a line can be redrawn: not in a log, nor on a terminal without escape codes. */
export function canRedraw(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(stream.isTTY) && environment["TERM"] !== "dumb" && !inContinuousIntegration(environment);
}

/** True when a person can answer questions. */
export function isInteractive(): boolean {
  return Boolean(process.stdin.isTTY && process.stdout.isTTY) && !inContinuousIntegration();
}

/**
 * A closed pipe (`| head`) is not an error: the command continues, so that its exit code is the true one. Other write
 * errors, such as a full disk, are reported at once and set the exit code, as they do for `-o`.
 */
export function ignoreClosedPipes(): void {
  let reported = false;
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || reported) return;
    reported = true;
    note(`rehearsal: the output cannot be written: ${error.message}`);
    process.once("exit", () => (process.exitCode = exitCodes.usage));
  });
}

/** How long a stopped service waits for the reader of its remaining log lines. */
const readersWaitMs = 2_000;

/** Exits a finished process even when its output pipe is never read, which would keep it alive. */
export function exitWithoutReaders(): void {
  setTimeout(() => process.exit(), readersWaitMs).unref();
}

function write(stream: NodeJS.WriteStream, text: string): void {
  stream.write(stream.isTTY ? escapeControlCodes(text) : text);
}

const neutralizers: Readonly<Record<string, (text: string) => string>> = {
  json: neutralizeJson,
  jsonl: neutralizeJson,
  junit: neutralizeXml,
  markdown: neutralize,
};

/**
 * Breaks up build-server commands in text from models and files. GitHub acts on `::error::` at the start of a log line,
 * Azure on `##vso[…]` anywhere in one (it can set variables and paths for later steps), TeamCity on `##teamcity[…]`.
 */
function neutralize(text: string): string {
  // A lookbehind from the colons: matching from each line start would rescan long runs of white space.
  return text.replace(/:(?<=^[^\S\n]*:)(?=:)/gm, ": ").replace(/##(?=\w*\[)/g, "## ");
}

/** `neutralize` for JSON, with escapes that leave the value unchanged. */
function neutralizeJson(json: string): string {
  return json.replace(/##(?=\w*\[)/g, "#\\u0023");
}

/** `neutralize` for XML. */
function neutralizeXml(xml: string): string {
  return xml.replace(/:(?<=^[^\S\n]*:)(?=:)/gm, "&#58;").replace(/##(?=\w*\[)/g, "#&#35;");
}
