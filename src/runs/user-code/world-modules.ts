import { compact } from "../../base/compact.ts";
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { canonicalJson } from "../../base/json.ts";
import { threadFile } from "../../base/thread-file.ts";
import { WorldTool, type World } from "../../contract/schemas/acting/world.ts";
import { CallError } from "../../evaluation/world/answers.ts";
import { initialStateProblem } from "../../evaluation/world/limits.ts";
import type { WorldFunctions } from "../../evaluation/world/world.ts";
import { CodeError, withTraceback, type CodeHost, type CodeLimits } from "./code-host.ts";
import { pythonModule, pythonProgramOf } from "./python-process.ts";
import { nodeArguments, CodeFailure, type CodeProgram } from "./code-process.ts";
import type { StartParams, WorldCallParams, WorldCallResult } from "./module-process.ts";

/** Modules with tools as functions, which run in processes of their own. */
export interface WorldModules {
  /** Reads a module once: its tools and initial state. Rejects with a `ModuleError`. */
  load(path: string): Promise<WorldModuleContent>;
  /** The functions of a world's module, for attempts that start with this state. */
  functions(path: string, state: unknown): WorldFunctions;
}

export interface WorldModuleContent {
  readonly tools: readonly WorldTool[];
  /** JSON; undefined when the module has none. */
  readonly state?: unknown;
  /** Identifies tools and initial state: another text when one of them has changed. */
  readonly version: string;
}

/** A module that cannot be used. The message names it and says why. */
export class ModuleError extends Error {
  override readonly name = "ModuleError";
}

const Content = z.object({ tools: z.array(WorldTool).min(1).max(128), state: z.unknown().optional() });

const entry = threadFile("module-process", import.meta.url);

interface WorldModulesOptions {
  readonly host: CodeHost;
  readonly limits: Pick<CodeLimits, "memoryMb">;
  /** The environment of the modules. */
  readonly environment: Readonly<Record<string, string>>;
  /** The user's Python: a command or a path. */
  readonly python?: string;
  /** Removes secrets from messages of errors, which are stored. Default: they are kept as they are. */
  readonly scrub?: (text: string) => string;
}

export function createWorldModules({
  host,
  limits,
  environment,
  python = "python3",
  scrub = (text) => text,
}: WorldModulesOptions): WorldModules {
  const programs = new Map<string, CodeProgram>();
  const contents = new Map<string, Promise<WorldModuleContent>>();
  const stateIds = new WeakMap<object, string>();
  let states = 0;

  /** Modules have processes of their own, so that one cannot change the globals of another. */
  function programOf(path: string): CodeProgram {
    const known = programs.get(path);
    if (known) return known;
    const program: CodeProgram = pythonModule(path)
      ? pythonProgramOf(python, { environment, start: { module: path } satisfies StartParams })
      : {
          start: { module: pathToFileURL(path).href } satisfies StartParams,
          command: process.execPath,
          arguments: nodeArguments(entry, limits.memoryMb),
          environment,
        };
    programs.set(path, program);
    return program;
  }

  async function read(path: string): Promise<WorldModuleContent> {
    const signal = new AbortController().signal;
    const load = async (): Promise<unknown> =>
      host.call(programOf(path), { method: "world.load", params: null, signal });
    const loaded = await load().catch((error: unknown) => {
      throw new ModuleError(`The world module ${path} cannot be used: ${scrub(reasonOf(error, path))}`, {
        cause: error,
      });
    });
    const parsed = Content.safeParse(loaded);
    const problem = parsed.success ? initialStateProblem(parsed.data.state) : null;
    if (problem !== null) throw new ModuleError(`The world module ${path} cannot be used: its state ${problem}`);
    if (parsed.success) {
      const { tools, state } = parsed.data;
      const version = createHash("sha256").update(canonicalJson({ tools, state })).digest("hex");
      return compact({ tools, version, state });
    }
    const [issue] = parsed.error.issues;
    throw new ModuleError(`The world module ${path} cannot be used: ${issue?.path.join(".")}: ${issue?.message}`);
  }

  function idOf(state: unknown): string {
    if (typeof state !== "object" || state === null) return JSON.stringify(state);
    const id = stateIds.get(state) ?? `state ${(states += 1)}`;
    stateIds.set(state, id);
    return id;
  }

  return {
    load(path) {
      const known = contents.get(path);
      if (known) return known;
      const reading = read(path);
      contents.set(path, reading);
      // A module that was mended, or a process that could not be started, is tried again.
      reading.catch(() => contents.delete(path));
      return reading;
    },
    functions(path, base) {
      const id = idOf(base);
      async function ask(params: WorldCallParams, signal: AbortSignal): Promise<WorldCallResult> {
        const call = { method: "world.call", params, signal };
        return (await host.call(programOf(path), call)) as WorldCallResult;
      }
      return async ({ name, arguments: args, changes }, signal) => {
        const params = { tool: name, arguments: args, state: { id, changes } };
        try {
          const { result, changes: made } = await ask(params, signal).catch((error: unknown) => {
            if (!(error instanceof CodeError) || error.code !== "unknown_state") throw error;
            return ask({ ...params, state: { ...params.state, base } }, signal);
          });
          return compact({ result, changes: made.length > 0 ? made : undefined });
        } catch (error) {
          if (error instanceof CodeError) throw new CallError(scrub(error.message), { cause: error });
          if (error instanceof CodeFailure)
            throw new CallError(scrub(`${name} failed. ${error.message}`), { cause: error });
          throw error;
        }
      };
    },
  };
}

/** Node takes the module kind of .ts and .js from package.json, where `npm init` writes "commonjs". */
function reasonOf(error: unknown, path: string): string {
  const reason = withTraceback(error);
  const isModule = /outside a module|Unexpected token 'export'/.test(reason);
  return isModule ? `${reason}; let its name end in .m${path.slice(-2)}` : reason;
}

/** A world as a run uses it: with the tools of its module, and with those that it declares itself in their place. */
export function withModuleTools(world: World, path: string, { tools, version }: WorldModuleContent): World {
  const declared = new Set(world.tools.map(({ name }) => name));
  return {
    ...world,
    tools: [...tools.filter(({ name }) => !declared.has(name)), ...world.tools],
    module: path,
    module_version: version,
  };
}
