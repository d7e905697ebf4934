import type { Writable } from "node:stream";
import type { Context } from "hono";
import { pino, type Logger } from "pino";
import type { Secret } from "../../base/secret.ts";
import type { LogLevel } from "../../settings.ts";
import { createScrubber } from "./environment/scrub.ts";
import type { ShellEnvironment } from "./environment/shell-environment.ts";

interface LogOptions {
  /** Null: `warn` at a terminal, `info` otherwise. */
  readonly level: LogLevel | null;
  /** Values that must not appear in any encoding. */
  readonly secrets?: readonly Secret[];
  readonly terminal?: boolean;
  readonly write?: (line: string) => void;
}

/** Logs to stderr, one line per event. Each line is scrubbed as a whole just before it is written. */
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

/** Logs one line per request: method, path and outcome. Bodies and queries are left out, since they may hold anything. */
export function logRequest(
  log: Logger,
  context: Context<ShellEnvironment>,
  outcome: { status: number; ms: number },
): void {
  const { method, path } = context.req;
  logOutcome(log, { method, path, ...outcome, request_id: context.get("requestId") });
}

interface RequestOutcome {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly request_id: string;
}

export function logOutcome(log: Logger, { path, ...outcome }: RequestOutcome): void {
  const level = outcome.status >= 500 ? "error" : "info";
  if (!log.isLevelEnabled(level)) return;
  const { method, ...rest } = outcome;
  log[level]({ method, path: path.slice(0, 200), ...rest }, "request");
}

/** `12:00:00 warn  message {"more":1}`, with the stack of an error on the lines after it. */
function forTerminal(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const more = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : "";
  const stack = (err as { stack?: string } | undefined)?.stack;
  const text = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg ?? "")}${more}\n${stack ? `${stack}\n` : ""}`;
  return text.replace(actsOnTerminal, escapedCharacter);
}

/** Control and bidirectional characters: a line may quote a model, an MCP server or a client, and JSON escapes only some of these. */
const actsOnTerminal = /[\p{Cc}--[\n\t]]|[\u202A-\u202E\u2066-\u2069]/gv;

function escapedCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The most bytes that may wait for a reader of the log: about ten thousand lines. */
const mostWaiting = 4 * 1024 * 1024;

/**
 * Writes lines to a stream. When a pipe is not read, lines beyond a bound are dropped instead of filling the memory; the next line
 * written is preceded by one that says how many are missing.
 */
export function createLineWriter(stream: Pick<Writable, "write" | "writableLength">): (line: string) => void {
  let dropped = 0;

  return (line) => {
    if (stream.writableLength > mostWaiting) {
      dropped += 1;
      return;
    }
    if (dropped > 0) stream.write(missingLines(dropped));
    dropped = 0;
    stream.write(line);
  };
}

function missingLines(lines: number): string {
  const entry = {
    level: "warn",
    time: new Date().toISOString(),
    lines,
    msg: "log lines were dropped here because the log was not read",
  };
  return `${JSON.stringify(entry)}\n`;
}
