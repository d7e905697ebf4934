// The process in which modules of users are loaded and called. See protocol.ts for what it reads and writes.
// oxlint-disable-next-line no-restricted-imports -- a pipe of this process, not a connection
import { Socket } from "node:net";
import { createRequire } from "node:module";
import { compact } from "../../base/compact.ts";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { truncateText } from "../../base/text.ts";
import type { StateChange } from "../../contract/ports/journal.ts";
import type { WorldModule, WorldModuleTool } from "../../contract/ports/world-module.ts";
import { StateView } from "../../evaluation/world/state.ts";
import { createLineSplitter, type CodeAnswer, type Question } from "./protocol.ts";
import { draftState, isDraft } from "./state-draft.ts";

export interface StartParams {
  /** The URL of the module. Without one, functions are called by `code.run`. */
  readonly module?: string;
  /** True for an agent, which must export `reply`. */
  readonly target?: boolean;
}

interface TargetReplyParams {
  readonly messages: readonly unknown[];
  /** Time for the reply, in milliseconds. */
  readonly timeout_ms: number;
  readonly [option: string]: unknown;
}

/** A call of a user's function: of a file, or made of inline code. */
export interface RunCodeParams {
  readonly kind: "check" | "transform" | "state";
  readonly code?: string | undefined;
  /** An absolute path. */
  readonly file?: string | undefined;
  readonly function?: string | undefined;
  readonly output: unknown;
  readonly context: unknown;
}

interface LoadedWorldModule {
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: unknown }[];
  readonly state: unknown;
}

export interface WorldCallParams {
  readonly tool: string;
  readonly arguments: unknown;
  readonly state: {
    /** Identifies the state at the start of an attempt. */
    readonly id: string;
    /** That state. Left out when it was probably sent before; the answer is the error `unknown_state` if not. */
    readonly base?: unknown;
    /** The changes since then. */
    readonly changes: readonly StateChange[];
  };
}

export interface WorldCallResult {
  readonly result: unknown;
  readonly changes: readonly StateChange[];
}

const maxMessage = 10_000;
const maxBases = 8;

/** Ends this process and those it has started when the one that started it is gone, even while a module keeps this thread busy. */
const watchdog = `
  const { Socket } = require("node:net");
  const lifeline = new Socket({ fd: 4, readable: true, writable: false });
  const end = () => {
    try { process.kill(-process.pid, "SIGKILL"); } catch { process.kill(process.pid, "SIGKILL"); }
  };
  lifeline.on("error", end).on("close", end).resume();
`;

/** The states at the start of attempts, by id. The last ones are kept. */
const bases = new Map<string, unknown>();

class CodedError extends Error {
  readonly code: string;

  constructor(code: string, message = code) {
    super(message);
    this.code = code;
  }
}

const methods: Readonly<Record<string, (params: never) => unknown>> = {
  start,
  "world.load": loadWorld,
  "world.call": callWorld,
  reply: replyOfTarget,
  "code.run": runCode,
};

let loaded: Readonly<Record<string, unknown>> = {};

async function start({ module, target }: StartParams): Promise<void> {
  if (module !== undefined) loaded = (await import(module)) as typeof loaded;
  if (target) replyFunction();
}

/** The signal aborts shortly before the process would be killed. */
async function replyOfTarget({ messages, timeout_ms, ...options }: TargetReplyParams): Promise<unknown> {
  const signal = AbortSignal.timeout(Math.max(1, timeout_ms - 500));
  return replyFunction()(messages, { ...options, signal });
}

function replyFunction(): (messages: readonly unknown[], options: object) => unknown {
  const inner = loaded["default"];
  const nested = typeof inner === "object" && inner !== null && "reply" in inner ? inner.reply : inner;
  const found = loaded["reply"] ?? nested;
  if (typeof found !== "function") throw new Error("it exports no function reply(messages, { signal })");
  return found as ReturnType<typeof replyFunction>;
}

async function loadWorld(): Promise<LoadedWorldModule> {
  const { tools, state } = worldExports();
  const described = Object.entries(tools).map(([name, tool]) => {
    const { description = "", parameters = { type: "object" } } = toolOf(tool, name);
    return { name, description, parameters };
  });
  return { tools: described, state: typeof state === "function" ? await (state as () => unknown)() : state };
}

async function callWorld({ tool: name, arguments: args, state }: WorldCallParams): Promise<WorldCallResult> {
  const { tools } = worldExports();
  if (!Object.hasOwn(tools, name)) throw new Error(`The module has no tool ${name}.`);
  const tool = toolOf(tools[name], name);
  const base = baseOf(state);
  const draft = draftState(new StateView(base).apply(state.changes).value);
  try {
    const result = await tool.run(args, draft.state);
    return { result: result ?? null, changes: draft.finish() };
  } catch (error) {
    draft.finish();
    throw error;
  }
}

type UserFunction = (output: unknown, context: unknown, process?: unknown) => unknown;

const inlineFunctions = new Map<string, UserFunction>();

/**
 * A failed assertion has the code `assertion`, another error that the function throws `thrown`; others say that there is no function
 * to call.
 */
async function runCode(params: RunCodeParams): Promise<unknown> {
  const { code, output, context } = params;
  const run = code === undefined ? await functionOfFile(params) : inlineFunction(code);
  try {
    return await run(output, context, processForScripts);
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new CodedError(isAssertion(error) ? "assertion" : "thrown", text);
  }
}

/** Errors of `node:assert`, of chai and vitest, and of jest's `expect`. */
function isAssertion(error: unknown): boolean {
  return error instanceof Error && (error.name === "AssertionError" || "matcherResult" in error);
}

async function functionOfFile({ file = "", function: name, kind }: RunCodeParams): Promise<UserFunction> {
  const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const inner = (exported["default"] ?? {}) as Record<string, unknown>;
  const usual = { check: ["score", "getAssert"], transform: ["transform"], state: ["check", "score"] }[kind];
  const candidates =
    name === undefined
      ? [exported["default"], inner["default"], ...usual.flatMap((word) => [exported[word], inner[word]])]
      : [exported[name], inner[name]];
  const found = candidates.find((candidate) => typeof candidate === "function");
  if (!found) throw new Error(`${file} exports no function ${name ?? "by default"}`);
  return found as UserFunction;
}

const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => UserFunction;

/** Several lines are the body of a function, one line is an expression, perhaps after declarations: as in promptfoo. */
function inlineFunction(code: string): UserFunction {
  const known = inlineFunctions.get(code);
  if (known) return known;
  const text = code.trimEnd();
  const line = text.trim().replace(/(?<!;);+$/, "");
  const isDeclared = /^(?:const|let|var)\s/.test(line);
  const body = text.includes("\n") ? text : isDeclared ? line.replace(lastStatement, "$1 return $2") : `return ${line}`;
  const made = compileEither(body, text);
  inlineFunctions.set(code, made);
  return made;
}

/** A line that is no expression is a statement, perhaps with its own `return`. */
function compileEither(...bodies: readonly string[]): UserFunction {
  const failures: unknown[] = [];
  for (const body of bodies) {
    try {
      return new AsyncFunction("output", "context", "process", body);
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

/** The text after the last semicolon outside of quotes. */
const lastStatement =
  /^((?:[^;'"`]|;|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)*;)((?:[^;'"`]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)+)$/;

/** Scripts written for promptfoo load modules by `process.mainModule.require`. */
const processForScripts = Object.create(process, {
  mainModule: { value: { require: createRequire(`${process.cwd()}/`), exports: {} } },
}) as unknown;

function baseOf({ id, base }: WorldCallParams["state"]): unknown {
  const known = base === undefined ? bases.get(id) : base;
  if (known === undefined) throw new CodedError("unknown_state");
  bases.delete(id);
  const [oldest] = bases.keys();
  if (oldest !== undefined && bases.size >= maxBases) bases.delete(oldest);
  bases.set(id, known);
  return known;
}

function worldExports(): WorldModule {
  const exported = loaded as Partial<WorldModule> & { default?: Partial<WorldModule> };
  const { tools, state } = exported.tools === undefined ? (exported.default ?? exported) : exported;
  if (typeof tools !== "object" || tools === null) {
    throw new Error(
      "it exports no tools: export const tools = { name: { description, parameters, run(args, state) {…} } }",
    );
  }
  return { tools, state };
}

function toolOf(tool: unknown, name: string): WorldModuleTool {
  const isTool = typeof tool === "object" && tool !== null && "run" in tool && typeof tool.run === "function";
  if (!isTool) throw new Error(`its tool ${name} has no function run(args, state)`);
  return tool as WorldModuleTool;
}

async function answerLine({ id, method, params }: Question): Promise<CodeAnswer> {
  try {
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!run) throw new Error(`There is no method ${method}.`);
    return { id, result: (await run(params as never)) ?? null };
  } catch (error) {
    return failure(id, error);
  }
}

function failure(id: number, error: unknown): CodeAnswer {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const message = truncateText(text, maxMessage);
  return { id, error: compact({ message, code: error instanceof CodedError ? error.code : undefined }) };
}

/** A result that is not JSON is the failure of the code that returned it. */
function toLine(given: CodeAnswer): string {
  try {
    return JSON.stringify(given);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    return JSON.stringify(failure(given.id, new Error(`The result cannot be written as JSON: ${reason}`)));
  }
}

/** Drafts are proxies, which cannot be cloned. */
function allowClonesOfDrafts(): void {
  const { structuredClone: clone } = globalThis;
  globalThis.structuredClone = (value, options) =>
    clone(isDraft(value) ? (JSON.parse(JSON.stringify(value)) as typeof value) : value, options);
}

new Worker(watchdog, { eval: true, env: {}, stdout: false, stderr: false }).unref();
allowClonesOfDrafts();
const answers = new Socket({ fd: 3, readable: false, writable: true });
const receive = createLineSplitter(async (line) => {
  answers.write(`${toLine(await answerLine(JSON.parse(line) as Question))}\n`);
});
process.stdin.setEncoding("utf8");
process.stdin.on("data", receive).on("end", () => process.exit());
