import { appendFile } from "node:fs/promises";
import { canonicalJson, isRecord } from "../../base/json.ts";
import { compact } from "../../base/compact.ts";
import { pause } from "../../base/deadline.ts";
import { publicErrorMessage } from "../../base/format.ts";
import type { ToolDefinition } from "../../contract/ports/chat-model.ts";
import type { WorldEntry } from "../../contract/ports/journal.ts";
import type { ServedWorld } from "../../contract/ports/world-endpoints.ts";
import type { RecordedToolCall } from "../../contract/schemas/acting/tool-call.ts";
import type { World, WorldTool } from "../../contract/schemas/acting/world.ts";
import type { ToolOutcome } from "../../evaluation/world/answers.ts";
import { WorldLimitError } from "../../evaluation/world/limits.ts";
import { resultText } from "../../evaluation/world/tool-loop.ts";
import type { PreparedWorld } from "../../evaluation/world/world.ts";

/** A session with a world of its own: its tools, and the state after the calls so far. */
export interface WorldOfSession extends ServedWorld {
  readonly state: () => unknown;
}

/** Opens a fresh world for each session. */
export interface StandaloneWorld {
  open(session: string): WorldOfSession;
}

type CallEnd = Pick<RecordedToolCall, "result" | "error">;

/** A real server behind a world that is being recorded. */
export interface RecordedSource {
  readonly tools: readonly WorldTool[];
  call(name: string, args: unknown, signal: AbortSignal): Promise<CallEnd>;
}

interface StandaloneOptions {
  /** Lines of JSON, one for each call. */
  readonly journal?: string | undefined;
  /** Removes secrets from what is written. */
  readonly clean: <Value>(value: Value) => Value;
}

/** The same world for every session, each with a state of its own. */
export function standaloneWorld(world: PreparedWorld, definition: World, options: StandaloneOptions): StandaloneWorld {
  const note = createJournal(options);
  // Recorded arguments have no secrets, so those of a call are compared without theirs.
  const comparable = definition.recorded ? options.clean : <Value>(value: Value): Value => value;
  return {
    open(session) {
      const opened = world.open();
      const record = replay(definition);
      let number = 0;
      const call = inTurn(async (name: string, args: unknown, signal: AbortSignal) => {
        number += 1;
        const asked: RecordedToolCall = {
          id: `call-${number}`,
          name: world.toolName(name),
          ...toArguments(comparable(args)),
        };
        const started = performance.now();
        const known = record(asked);
        const outcome = known
          ? known
          : await opened.answer(asked, signal).catch((error: unknown): ToolOutcome => {
              if (error instanceof WorldLimitError) return { error: error.message };
              throw error;
            });
        if (outcome.delayMs !== undefined) await pause(outcome.delayMs, signal);
        const ended: CallEnd =
          outcome.error === undefined
            ? { result: (outcome.result ?? null) as RecordedToolCall["result"] & {} }
            : { error: outcome.error };
        const entry: Extract<WorldEntry, { type: "call" }> = compact({
          type: "call",
          call: { ...asked, ...ended },
          changes: outcome.changes,
        });
        opened.apply(entry);
        await note({ session, started, asked, ended, changes: outcome.changes });
        return toAnswer(ended);
      });
      return { tools: world.tools, call, state: () => opened.state.value };
    },
  };
}

/** The recorded answers of one session. A call that is made more often than it was recorded gets its last answer again. */
function replay({ tools, recorded = [] }: World): (asked: RecordedToolCall) => ToolOutcome | null {
  const declared = new Set(tools.flatMap(({ name, answers }) => (answers ? [name] : [])));
  const records = Map.groupBy(recorded, (call) => keyOf(call));
  const used = new Map<string, number>();
  return (asked) => {
    const key = keyOf(asked);
    const known = declared.has(asked.name) ? [] : (records.get(key) ?? []);
    const index = used.get(key) ?? 0;
    used.set(key, index + 1);
    const found = known[Math.min(index, known.length - 1)];
    if (!found) return null;
    return found.error === undefined ? { result: found.result ?? null } : { error: found.error };
  };
}

const keyOf = ({ name, arguments: args }: Pick<RecordedToolCall, "name" | "arguments">): string =>
  canonicalJson([name, args ?? {}]);

/** Answers from what was recorded, and asks the real server once for the rest. `save` is called after each new record. */
export function recordingWorld(
  source: RecordedSource,
  {
    recorded,
    save,
    ...options
  }: StandaloneOptions & {
    readonly recorded: RecordedToolCall[];
    readonly save: () => Promise<void>;
  },
): StandaloneWorld {
  const note = createJournal(options);
  // Two sessions that make the same call at once must not both ask the real server.
  const ask = inTurn(async (asked: RecordedToolCall, real: unknown, signal: AbortSignal): Promise<CallEnd> => {
    const known = recorded.find((call) => keyOf(call) === keyOf(asked));
    if (known) return known;
    const ended = options.clean(await source.call(asked.name, real, signal));
    recorded.push({ ...asked, ...ended });
    await save();
    return ended;
  });
  return {
    open(session) {
      let number = 0;
      const call = inTurn(async (name: string, args: unknown, signal: AbortSignal) => {
        number += 1;
        const asked: RecordedToolCall = { id: `call-${number}`, name, ...toArguments(options.clean(args)) };
        const started = performance.now();
        const ended = await ask(asked, args, signal).catch((error: unknown): CallEnd => {
          signal.throwIfAborted();
          return { error: `The recorded server could not be asked: ${publicErrorMessage(error)}` };
        });
        await note({ session, started, asked, ended });
        return toAnswer(ended);
      });
      return { tools: source.tools.map(toDefinition), call, state: () => null };
    },
  };
}

const toDefinition = ({ name, description, parameters }: WorldTool): ToolDefinition => ({
  name,
  description,
  parameters,
});

/** The tools and the calls of a recording as a world. */
export function recordedWorld(tools: readonly WorldTool[], recorded: readonly RecordedToolCall[]): World {
  return {
    tools: [...tools],
    recorded: recorded.map(({ name, arguments: args, result, error }) =>
      compact({ name, arguments: args, result, error }),
    ),
  };
}

interface JournalNote {
  readonly session: string;
  readonly started: number;
  readonly asked: RecordedToolCall;
  readonly ended: CallEnd;
  readonly changes?: WorldEntryChanges | undefined;
}
type WorldEntryChanges = Extract<WorldEntry, { type: "call" }>["changes"];

function createJournal({ journal, clean }: StandaloneOptions): (entry: JournalNote) => Promise<void> {
  if (journal === undefined) return async () => {};
  return inTurn(async ({ session, started, asked, ended, changes }: JournalNote) => {
    const { name, arguments: args, arguments_error } = asked;
    const ms = Math.round(performance.now() - started);
    const line = compact({
      at: new Date().toISOString(),
      session,
      tool: name,
      arguments: args,
      arguments_error,
      ...ended,
      ms,
      changes,
    });
    await appendFile(journal, `${JSON.stringify(clean(line))}\n`);
  });
}

/** The same function, whose calls wait for each other. */
function inTurn<Arguments extends unknown[], Result>(
  work: (...args: Arguments) => Promise<Result>,
): (...args: Arguments) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const next = last.catch(() => {}).then(() => work(...args));
    last = next;
    return next;
  };
}

function toArguments(args: unknown): Pick<RecordedToolCall, "arguments" | "arguments_error"> {
  const value = args ?? {};
  if (isRecord(value)) return { arguments: value as RecordedToolCall["arguments"] };
  return { arguments: {}, arguments_error: "must be an object" };
}

const toAnswer = (ended: CallEnd): { text: string; isError: boolean } => ({
  text: resultText(ended as RecordedToolCall),
  isError: ended.error !== undefined,
});
