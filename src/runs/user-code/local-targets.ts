import { compact } from "../../base/compact.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { isRecord } from "../../base/json.ts";
import { createSecretRedactor } from "../../base/redact-secrets.ts";
import type { Secret } from "../../base/secret.ts";
import { truncateText } from "../../base/text.ts";
import { threadFile } from "../../base/thread-file.ts";
import { isRetryable, type ErrorCode } from "../../contract/errors/errors.ts";
import {
  toOpenaiMessage,
  type ChatModel,
  type ChatOptions,
  type ChatRequest,
  type Reply,
  type ReplyError,
} from "../../contract/ports/chat-model.ts";
import { readPassages } from "../../contract/schemas/acting/context.ts";
import type { LocalTarget } from "../../contract/schemas/acting/target.ts";
import { labels } from "../../models/adapters/reply/json-values.ts";
import { contentText } from "../../models/adapters/reply/message-content.ts";
import { elapsedMs, failedReply, tokenUsage } from "../../models/adapters/reply/parsed-reply.ts";
import { toCall } from "../../models/targets/answer-reader.ts";
import { earlierRequests } from "../../models/targets/target-session.ts";
import { CodeError, withTraceback, type CodeHost, type CodeLimits } from "./code-host.ts";
import { nodeArguments, CodeFailure, type CodeProgram } from "./code-process.ts";
import type { LinesParams } from "./lines-process.ts";
import type { StartParams } from "./module-process.ts";
import { pythonModule, pythonProgramOf } from "./python-process.ts";
import { ModuleError } from "./world-modules.ts";

/** Agents under test on this machine: modules with a function, and programs that answer JSON lines. */
export interface LocalTargets {
  /** Starts the target once. Rejects with a `ModuleError` when it cannot be used. */
  check(target: LocalTarget): Promise<void>;
  modelOf(target: LocalTarget, modelId: string): ChatModel;
}

interface LocalTargetsOptions {
  readonly host: CodeHost;
  readonly limits: Pick<CodeLimits, "memoryMb" | "timeoutMs">;
  readonly retry: { readonly maximum: number; readonly baseMs: number };
  /** The environment that every target gets. */
  readonly environment: Readonly<Record<string, string>>;
  /** The value of a variable that a target declares. */
  readonly variable: (name: string) => string | undefined;
  /** The user's Python: a command or a path. */
  readonly python?: string;
  /** Removes secrets from messages of errors, which are stored. */
  readonly scrub: (text: string) => string;
  /** Values that are removed from replies. Unlike messages of errors, those may have words that only look like keys. */
  readonly secrets: readonly Secret[];
}

const entry = threadFile("module-process", import.meta.url);
const linesEntry = threadFile("lines-process", import.meta.url);

export function createLocalTargets(options: LocalTargetsOptions): LocalTargets {
  const { host, limits, scrub } = options;
  const redactor = createSecretRedactor(options.secrets);
  const programs = new Map<string, CodeProgram>();

  function programOf(target: LocalTarget): CodeProgram {
    const key = JSON.stringify(target);
    const program = programs.get(key) ?? toProgram(target, options);
    programs.set(key, program);
    return program;
  }

  return {
    async check(target) {
      const prepare = async (): Promise<void> => host.prepare(programOf(target), new AbortController().signal);
      await prepare().catch((error: unknown) => {
        const name = "module" in target ? target.module : target.command;
        throw new ModuleError(`The target ${name} cannot be used: ${scrub(withTraceback(error))}`, {
          cause: error,
        });
      });
    },
    modelOf: (target, modelId) => async (request, call) => {
      const started = performance.now();
      const toAsked = (asked: ChatRequest) => ({ ...toParams(asked, { modelId, call }), timeout_ms: limits.timeoutMs });
      const params = toAsked(request);
      const session = call.session && {
        id: call.session.id,
        end: call.progress?.end,
        earlier: earlierRequests(request, call.progress?.turns ?? 0).map(toAsked),
      };
      for (let tries = 1; ; tries += 1) {
        const begun = performance.now();
        try {
          const result = await host.call(programOf(target), { method: "reply", params, signal: call.signal, session });
          const reply = toReply(redactor.value(result ?? null), { modelId, tries });
          if (!("ok" in reply)) return failedReply(reply, elapsedMs(begun));
          if (reply.text !== "") call.onText?.(reply.text);
          return { ...reply, latency_ms: elapsedMs(begun), first_token_ms: null };
        } catch (error) {
          call.signal.throwIfAborted();
          if (!(error instanceof CodeError) && !(error instanceof CodeFailure)) throw error;
          const failure = toFailure(error, { tries, scrub });
          const isOver = performance.now() - started > limits.timeoutMs;
          if (tries > options.retry.maximum || failure.code === "upstream_timeout" || isOver) {
            return failedReply(failure, elapsedMs(begun));
          }
          await sleep(Math.random() * options.retry.baseMs * 2 ** (tries - 1), undefined, { signal: call.signal });
        }
      }
    },
  };
}

function toProgram(
  target: LocalTarget,
  { environment, variable, limits, python = "python3" }: LocalTargetsOptions,
): CodeProgram {
  const declared = (target.env ?? []).flatMap((name): [string, string][] => {
    const value = variable(name);
    return value === undefined ? [] : [[name, value]];
  });
  const own = { ...environment, ...Object.fromEntries(declared) };
  const inPython = "module" in target ? pythonModule(target.module) : null;
  if (inPython) {
    const { file: module, function: name } = inPython;
    return pythonProgramOf(python, { environment: own, start: compact({ module, function: name, target: true }) });
  }
  if ("module" in target) {
    return {
      start: { module: pathToFileURL(target.module).href, target: true } satisfies StartParams,
      command: process.execPath,
      arguments: nodeArguments(entry, limits.memoryMb),
      environment: own,
    };
  }
  const { command, folder, mode, prompt, quiet } = target;
  // A simple command replaces the shell, so that its own memory is measured.
  const isSimple = !/[|&;<>()`\n]/.test(command);
  const isWindows = process.platform === "win32";
  const shell = {
    command: isWindows ? "cmd.exe" : "/bin/sh",
    arguments: isWindows ? ["/d", "/s", "/c", command] : ["-c", isSimple ? `exec ${command}` : command],
  };
  if (mode === "lines") {
    return {
      start: compact({
        ...shell,
        prompt,
        quiet_ms: quiet === undefined ? undefined : quiet * 1_000,
        memory_mb: limits.memoryMb,
      }) satisfies LinesParams,
      command: process.execPath,
      arguments: nodeArguments(linesEntry, limits.memoryMb),
      // Python would hold back what it prints to a pipe.
      environment: { PYTHONUNBUFFERED: "1", PYTHONIOENCODING: "utf-8", ...own },
      endsSessions: true,
      folder,
    };
  }
  return {
    start: {},
    ...shell,
    environment: own,
    answers: "stdout",
    folder,
  };
}

function toParams(
  { messages, tools, parameters }: ChatRequest,
  { modelId, call: { session, trace } }: { modelId: string; call: ChatOptions },
) {
  return compact({
    messages: messages.map(toOpenaiMessage),
    model: modelId,
    session_id: session && (session.issued ?? session.id),
    world_url: session?.world_url,
    traceparent: trace?.traceparent,
    baggage: trace?.baggage,
    tools,
    parameters,
  });
}

/** A reply is a text, or an object with `text` (or `content`), `tool_calls`, `usage`, `labels`, `context` and `session_id`. */
function toReply(
  result: unknown,
  { modelId, tries }: { modelId: string; tries: number },
): Omit<Extract<Reply, { ok: true }>, "latency_ms" | "first_token_ms"> | ReplyError {
  const given = isRecord(result) ? result : { text: result };
  const text = contentText(given["text"] ?? given["content"] ?? given["reply"]);
  const listed = Array.isArray(given["tool_calls"]) ? given["tool_calls"] : null;
  const calls = (listed ?? []).flatMap((call) => toCall(call) ?? []);
  if (text === null && calls.length === 0) {
    return localError(
      "upstream_invalid_reply",
      "The target returned no text: return a text, or an object with text.",
      tries,
    );
  }
  const { session_id: session, greeting } = given;
  return compact({
    ok: true,
    text: text ?? "",
    refusal: null,
    tool_calls: [],
    // An entry that is no call may be one in another form.
    reported_calls: listed && calls.length === listed.length ? calls : undefined,
    finish_reason: "stop",
    usage: tokenUsage(given["usage"]),
    model: modelId,
    completion_id: "",
    system_fingerprint: null,
    service_tier: null,
    logprobs: null,
    metadata: labels(given["labels"] ?? given["metadata"]),
    context: readPassages(given["context"]),
    tries,
    greeting: typeof greeting === "string" ? greeting : undefined,
    session_id: (typeof session === "string" && session) || undefined,
  });
}

function toFailure(
  error: CodeError | CodeFailure,
  { tries, scrub }: { tries: number; scrub: (text: string) => string },
): ReplyError {
  const [first = "", ...rest] = scrub(error.message).split("\n");
  const message = truncateText(first, 500);
  const details = error instanceof CodeError ? (error.details ?? rest.join("\n")) : "";
  const isLate = error instanceof CodeFailure && message.startsWith("It took longer than");
  const failure = localError(isLate ? "upstream_timeout" : "upstream_error", `The target failed. ${message}`, tries);
  return details === "" ? failure : { ...failure, upstream_message: truncateText(scrub(details), 2_000) };
}

function localError(code: ErrorCode, detail: string, tries: number): ReplyError {
  return { code, detail, upstream_status: null, tries, retryable: isRetryable(code) };
}
