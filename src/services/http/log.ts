import type { Writable } from "node:stream";
import type { Context } from "hono";
import { pino, type Logger } from "pino";
import type { Secret } from "../../base/secret.ts";
import type { LogLevel } from "../../settings.ts";
import { createScrubber } from "./scrub.ts";
import type { ShellEnvironment } from "./shell-environment.ts";

interface LogOptions {
  /** null: warn for a person at a terminal, info for a file. */
  readonly level: LogLevel | null;
  /** Values that must not appear, in any form. */
  readonly secrets?: readonly Secret[];
  readonly terminal?: boolean;
  readonly write?: (line: string) => void;
}

/** A log that goes to stderr, one line per event, each line scrubbed as a whole just before it is written. */
export function createLog({
  level,
  secrets = [],
  terminal = process.stderr.isTTY ?? false,
  write = createLineWriter(process.stderr),
}: LogOptions): Logger {
  const scrub = createScrubber(secrets);
  const options = {
    level: level ?? (terminal ? "warn" : "info"),
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, { write: (line) => write(scrub(terminal ? forTerminal(line) : line)) });
}

/** One line per request: what was asked and how it ended. No bodies, and no query, which may hold anything. */
export function logRequest(
  log: Logger,
  context: Context<ShellEnvironment>,
  outcome: { status: number; ms: number },
): void {
  const level = outcome.status >= 500 ? "error" : "info";
  if (!log.isLevelEnabled(level)) return;
  const { method, path } = context.req;
  const entry = { method, path: path.slice(0, 200), ...outcome, request_id: context.get("requestId") };
  log[level](entry, "request");
}

/** `12:00:00 warn  message {"more":1}`, with the stack of an error on the lines after it. */
function forTerminal(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const more = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : "";
  const stack = (err as { stack?: string } | undefined)?.stack;
  const text = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg ?? "")}${more}\n${stack ? `${stack}\n` : ""}`;
  return text.replace(actsOnTerminal, escaped);
}

/** What others wrote (a model, an MCP server, a client) may be in a line, and JSON escapes only some of this. */
const actsOnTerminal = /[\p{Cc}--[\n\t]]|[\u202A-\u202E\u2066-\u2069]/gv;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Bytes that may wait for whoever reads the log: some ten thousand lines. */
const mostWaiting = 4 * 1024 * 1024;

/**
 * Writes lines to a stream for as long as they are read. Of a pipe that nobody empties, what comes beyond a bound is left out instead of
 * being held in memory for good, and counted: the first line that goes through again comes after one that says how many are missing.
 */
export function createLineWriter(stream: Pick<Writable, "write" | "writableLength">): (line: string) => void {
  let leftOut = 0;

  return (line) => {
    if (stream.writableLength > mostWaiting) {
      leftOut += 1;
      return;
    }
    if (leftOut > 0) stream.write(missing(leftOut));
    leftOut = 0;
    stream.write(line);
  };
}

function missing(lines: number): string {
  const entry = {
    level: "warn",
    time: new Date().toISOString(),
    lines,
    msg: "lines are missing here: nobody read the log",
  };
  return `${JSON.stringify(entry)}\n`;
}
