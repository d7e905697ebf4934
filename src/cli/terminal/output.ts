import { exitCodes } from "../exit-codes.ts";
import { forTerminal, plainJson } from "./plain-line.ts";

/** Data for whoever reads stdout. */
export function printLine(text: string): void {
  printText(`${text}\n`);
}

/** The same for text that has its line ends. */
export function printText(text: string): void {
  write(process.stdout, text);
}

/** One JSON document on stdout: indented for a person, compact for a program. */
export function printJson(value: unknown): void {
  printLine(inertJson(process.stdout.isTTY ? plainJson(value, 2) : JSON.stringify(value)));
}

const inertForms: Readonly<Record<string, (text: string) => string>> = {
  json: inertJson,
  jsonl: inertJson,
  junit: inertXml,
  markdown: inert,
};

/** Results in one of their formats. In a log no line of them is a command either, where the format has another way to say it. */
export function printResults(text: string, format: string): void {
  printText(inertForms[format]?.(text) ?? text);
}

/** What is on stdout for a person to read: in a log no line of it is a command. */
export function tell(text: string): void {
  printLine(inert(text));
}

/** Progress, notes and problems: never mixed with data. */
export function note(text: string): void {
  write(process.stderr, `${inert(text)}\n`);
}

/** A line that is meant for the build server itself. */
export function command(line: string): void {
  write(process.stderr, `${line}\n`);
}

/** A program gets the text as it is. */
function write(stream: NodeJS.WriteStream, text: string): void {
  stream.write(stream.isTTY ? forTerminal(text) : text);
}

/**
 * A reader that has seen enough (`| head`) is no error. What is being done goes on unheard, so that its exit code is the true one.
 * Data that could not be written, to a full disk for one, is told at once, and in the exit code as with a file of `-o`.
 */
export function goOnWhenNobodyReads(): void {
  let told = false;
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || told) return;
    told = true;
    note(`rehearsal: the output cannot be written: ${error.message}`);
    process.once("exit", () => (process.exitCode = exitCodes.usage));
  });
}

/** How long a service that has stopped waits for whoever should read the rest of its log. */
const readersWaitMs = 2_000;

/** Ends a process that has nothing left to do but to hand out lines: a pipe that nobody empties would keep it for good. */
export function endUnread(): void {
  setTimeout(() => process.exit(), readersWaitMs).unref();
}

/** Columns of the terminal that stdout is. Without one a line may be as long as it is. */
export function outputWidth(
  { isTTY, columns }: Pick<NodeJS.WriteStream, "isTTY" | "columns"> = process.stdout,
): number {
  return (isTTY && columns) || Infinity;
}

/** True where a build server runs us: no colours, no bar, no questions. */
export function inContinuousIntegration(environment: NodeJS.ProcessEnv = process.env): boolean {
  const { CI } = environment;
  return CI !== undefined && CI !== "" && CI !== "false" && CI !== "0";
}

/** A line can be drawn over again: not in a log, nor on a terminal that knows no codes for it, such as a shell in an editor. */
export function canRedraw(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(stream.isTTY) && environment["TERM"] !== "dumb" && !inContinuousIntegration(environment);
}

/** A person is there to read and to answer. */
export function personIsAtTheTerminal(): boolean {
  return Boolean(process.stdin.isTTY && process.stdout.isTTY) && !inContinuousIntegration();
}

/**
 * Build servers act on lines of a log: `::error::` at the beginning of one on GitHub, `##vso[…]` anywhere in one on Azure, where it
 * can set a variable or the path of the steps that follow; TeamCity has `##teamcity[…]`. What a model or a file says must not.
 */
function inert(text: string): string {
  // Looked for from the colons backwards: from the line ends, of which a run of white space may be made, it would be read anew for each.
  return text.replace(/(?<=^[^\S\n]*):(?=:)/gm, ": ").replace(/##(?=\w*\[)/g, "## ");
}

/** The same for a JSON document, which says the same afterwards. */
function inertJson(json: string): string {
  return json.replace(/##(?=\w*\[)/g, "#\\u0023");
}

/** The same for XML. */
function inertXml(xml: string): string {
  return xml.replace(/(?<=^[^\S\n]*):(?=:)/gm, "&#58;").replace(/##(?=\w*\[)/g, "#&#35;");
}
