import { canonicalJson, isRecord, type JsonRecord } from "../../base/json.ts";
import { measureJson } from "../../base/json-size.ts";
import { truncateText } from "../../base/text.ts";
import type { StateChange, WorldEntry } from "../../contract/ports/journal.ts";
import type { ToolDefinition } from "../../contract/ports/chat-model.ts";
import type { RecordedToolCall } from "../../contract/schemas/acting/tool-call.ts";
import { defaultMaxSteps, type World, type WorldAnswer, type WorldTool } from "../../contract/schemas/acting/world.ts";
import { compareConditions } from "../tools/conditions.ts";
import { computeWithProbes, type Probes, type ProbeSetting } from "../tools/probes.ts";
import { CallError, compileAnswer, type AnsweredCall, type ToolOutcome, type CompiledAnswer } from "./answers.ts";
import { disturbed, faultsOf } from "./faults.ts";
import { WorldUse } from "./limits.ts";
import { StateView } from "./state.ts";

/** A world that is shared by all attempts of a run. Its state is never changed: a session copies what it changes. */
export interface PreparedWorld {
  /** The tools as they are offered to a model. */
  readonly tools: readonly ToolDefinition[];
  readonly maxSteps: number;
  /** The name of a tool that a model called by the name under which it was offered. */
  toolName(offered: string): string;
  /** A fresh world for one attempt. Without a seed, nothing of its faults happens. */
  open(faultSeed?: string): WorldSession;
}

/** A world in use. */
export interface WorldSession {
  readonly state: StateView;
  /** True when carrying out the call takes time, so that everything before it is stored first. */
  isSlow(call: RecordedToolCall): boolean;
  /** Finds the answer to a call. Nothing changes until `apply`. Rejects with a `WorldLimitError` when it passes a limit. */
  answer(call: RecordedToolCall, signal: AbortSignal): Promise<ToolOutcome>;
  /** Takes over a call that was answered. */
  apply(entry: CallEntry): void;
  /** Takes over the calls that were answered before an interruption. */
  restore(entries: readonly WorldEntry[]): void;
}

type CallEntry = Extract<WorldEntry, { type: "call" }>;

/** Carries out the functions of a world's module. `changes` leads from the initial to the current state. Rejects with a `CallError`. */
export type WorldFunctions = (
  call: { readonly name: string; readonly arguments: JsonRecord; readonly changes: readonly StateChange[] },
  signal: AbortSignal,
) => Promise<ToolOutcome>;

interface WorldOptions {
  /** Apply schemas and patterns, which requests bring. */
  readonly probes: Probes;
  /** Functions of the world's module, for tools without answers and recorded calls. */
  readonly functions?: WorldFunctions | undefined;
}

/** Longer results would fill the context of any model, and are stored with every call. */
const maxResult = { characters: 1_000_000, values: 1_000_000, depth: 256 };

export function prepareWorld(definition: World, { probes, functions }: WorldOptions): PreparedWorld {
  const tools = new Map(definition.tools.map((tool) => [tool.name, prepareTool(tool)]));
  const offeredNames = offeredToolNames(definition.tools);
  const known = new Map(Array.from(offeredNames, ([name, offered]) => [offered, name]));
  const recorded = Map.groupBy(definition.recorded ?? [], (call) => stateKey(call.name, call.arguments));

  function unknownTool(name: string): CallError {
    const list = definition.tools.map((tool) => offeredNames.get(tool.name)).join(", ");
    return new CallError(`There is no tool named ${JSON.stringify(truncateText(name, 64))}. The tools are: ${list}.`);
  }

  class Session implements WorldSession {
    #state = new StateView(definition.state ?? {});
    readonly #use = new WorldUse();
    readonly #faultSeed: string | undefined;
    /** The calls of each tool so far. */
    readonly #numbers = new Map<string, number>();
    /** The last answer, whose changes are probably applied next, and the state that it was made from. */
    #answered: { readonly outcome: ToolOutcome; readonly from: StateView } | null = null;
    readonly #usedRecords = new Map<string, number>();

    constructor(faultSeed?: string) {
      this.#faultSeed = faultSeed;
    }

    get state(): StateView {
      return this.#state;
    }

    isSlow({ name }: RecordedToolCall): boolean {
      const tool = tools.get(name);
      return functions !== undefined && tool !== undefined && !tool.answers && recorded.size === 0;
    }

    async answer(call: RecordedToolCall, signal: AbortSignal): Promise<ToolOutcome> {
      this.#use.begin(call.name);
      try {
        const outcome = limitResult(await this.#disturbed(call, signal));
        this.#use.check(outcome.changes ?? []);
        this.#answered = { outcome, from: this.#state };
        return outcome;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof CallError) return { error: error.message };
        throw error;
      }
    }

    apply(entry: CallEntry): void {
      const { outcome, from } = this.#answered ?? {};
      const { changes, state } = outcome ?? {};
      if (!changes || !state || entry.changes !== changes || from !== this.#state) return this.restore([entry]);
      this.#countRecords([entry]);
      this.#use.add(changes);
      this.#state = state;
    }

    restore(entries: readonly WorldEntry[]): void {
      const calls = entries.filter((entry) => entry.type === "call");
      this.#countRecords(calls);
      const changes = calls.flatMap((entry) => entry.changes ?? []);
      this.#use.add(changes);
      this.#state = this.#state.apply(changes);
    }

    #countRecords(calls: readonly CallEntry[]): void {
      for (const { call } of calls) {
        this.#numbers.set(call.name, (this.#numbers.get(call.name) ?? 0) + 1);
        const key = this.#recordKey(call);
        if (key !== null) this.#usedRecords.set(key, this.#used(key) + 1);
      }
    }

    async #disturbed(call: RecordedToolCall, signal: AbortSignal): Promise<ToolOutcome> {
      const { faults = [] } = definition;
      if (faults.length === 0 || this.#faultSeed === undefined) return this.#answer(call, signal);
      const number = (this.#numbers.get(call.name) ?? 0) + 1;
      const happening = faultsOf(faults, { name: call.name, number, seed: this.#faultSeed });
      // A call that fails by a fault has not reached the tool.
      const isLost = happening.some(({ error }) => error !== undefined);
      const outcome = isLost ? {} : await this.#answer(call, signal);
      return disturbed(outcome, happening, async () => new Session().answer(call, signal));
    }

    async #answer(call: RecordedToolCall, signal: AbortSignal): Promise<ToolOutcome> {
      const tool = tools.get(call.name);
      if (!tool) throw unknownTool(call.name);
      const args = givenArguments(call);
      const session = probes.open();
      const problem = await computeWithProbes(session, () => tool.problem(args, session), signal);
      if (problem) throw new CallError(problem);
      if (tool.answers) return this.#declared(tool.answers, args, signal);
      const key = this.#recordKey(call);
      if (key !== null) return this.#replay(key, call.name);
      if (functions) return functions({ name: call.name, arguments: args, changes: this.#state.changes() }, signal);
      throw new CallError(`No answer of ${call.name} is declared.`);
    }

    async #declared(
      { answers, conditions }: DeclaredAnswers,
      args: JsonRecord,
      signal: AbortSignal,
    ): Promise<ToolOutcome> {
      const comparison = { kind: "conditions", input: { conditions, args }, expected: conditions } as const;
      const compared = await probes.compare({ ...comparison, compare: compareConditions }, signal);
      if (!compared) throw new CallError("The answer could not be chosen: comparing the arguments takes too long.");
      const asked: AnsweredCall = { args, state: this.#state, count: this.#use.count };
      for (const [index, answer] of answers.entries()) {
        const { matches, failure } = compared[index] ?? { matches: false };
        if (failure !== undefined) throw new CallError(`The answer could not be chosen: ${failure}.`);
        const outcome = matches ? answer(asked) : null;
        if (outcome) return outcome;
      }
      throw new CallError("No answer is declared for these arguments.");
    }

    #replay(key: string, name: string): ToolOutcome {
      const calls = recorded.get(key) ?? [];
      const found = calls[this.#used(key)];
      if (found) return found.error === undefined ? { result: found.result ?? null } : { error: found.error };
      if (calls.length === 0) throw new CallError(`This call of ${name} was never recorded with these arguments.`);
      const times = calls.length === 1 ? "once" : `${calls.length} times`;
      throw new CallError(`This call of ${name} was recorded only ${times} with these arguments.`);
    }

    /** Identifies the records of a call; null when it is not answered from records. */
    #recordKey({ name, arguments: args }: RecordedToolCall): string | null {
      const tool = tools.get(name);
      return tool && !tool.answers && recorded.size > 0 ? stateKey(name, args) : null;
    }

    #used(key: string): number {
      return this.#usedRecords.get(key) ?? 0;
    }
  }

  return {
    tools: definition.tools.map((tool) => offer(tool, offeredNames.get(tool.name) ?? tool.name)),
    maxSteps: definition.max_steps ?? defaultMaxSteps,
    toolName: (offered) => known.get(offered) ?? offered,
    open: (faultSeed) => new Session(faultSeed),
  };
}

interface PreparedTool {
  /** Why arguments do not fit the schema, else null. */
  problem(args: JsonRecord, session: ReturnType<Probes["open"]>): string | null;
  readonly answers: DeclaredAnswers | null;
}

interface DeclaredAnswers {
  readonly answers: readonly CompiledAnswer[];
  /** The `when` of each answer. */
  readonly conditions: readonly WorldAnswer["when"][];
}

function prepareTool({ parameters, answers }: WorldTool): PreparedTool {
  const setting = argumentsSetting(parameters);
  return {
    answers: answers ? { answers: answers.map(compileAnswer), conditions: answers.map(({ when }) => when) } : null,
    problem(args, session) {
      const result = session.ask(setting, args);
      if (!result || result.value === 1) return null;
      const reason = result.reason.replace(/^the reply/, "the arguments");
      return result.value === 0 ? `Invalid arguments: ${reason}.` : `The arguments could not be checked: ${reason}.`;
    },
  };
}

/** The check of a tool's arguments. */
function argumentsSetting(parameters: WorldTool["parameters"]): ProbeSetting {
  return { type: "json_schema", schema: { type: "object", ...parameters } } as ProbeSetting;
}

function givenArguments({ arguments: args, arguments_error: problem }: RecordedToolCall): JsonRecord {
  if (problem !== undefined) throw new CallError(`The arguments are not valid JSON: ${problem}`);
  if (!isRecord(args)) throw new CallError("The arguments must be a JSON object.");
  return args;
}

function stateKey(name: string, args: unknown): string {
  return canonicalJson([name, args ?? {}]);
}

/** Cutting a result would leave broken JSON. */
function limitResult(outcome: ToolOutcome): ToolOutcome {
  const { result } = outcome;
  const { characters, depth } = maxResult;
  if (typeof result === "string" ? result.length <= characters : measureJson(result, maxResult)) return outcome;
  if (measureJson(result, { ...maxResult, depth: Infinity })) {
    throw new CallError(`The result has more than ${depth} levels.`);
  }
  throw new CallError(`The result is too large: at most ${characters} characters are returned.`);
}

function offer({ description, parameters }: WorldTool, name: string): ToolDefinition {
  return { name, description, parameters: { type: "object", properties: {}, ...parameters } };
}

/** Names in the form that every provider accepts: letters, digits, _ and -, at most 64 of them. */
function offeredToolNames(tools: readonly WorldTool[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const { name } of tools) {
    const safe = name.replace(/[^\w-]/g, "_").slice(0, 64);
    let offered = safe;
    for (let number = 2; taken.has(offered); number += 1) offered = `${safe.slice(0, 60)}_${number}`;
    taken.add(offered);
    names.set(name, offered);
  }
  return names;
}
