import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentFunction, createPlugInRunner, PlugIn } from "../../agent/loop/plug-in.ts";
import { isRecord } from "../../base/json.ts";
import { reservedScores } from "../../contract/schemas/scores/score-names.ts";
import { errorLine } from "../../base/format.ts";
import type { CustomScorer, CustomScorers } from "../../evaluation/scorers/custom-scorer.ts";
import { SettingsError } from "../../settings/settings-error.ts";

/** Loads the operator's own agent, which answers turns instead of the built-in loop: `reply` of a module, or its default export. */
export async function readRunner(path: string | null): Promise<ReturnType<typeof createPlugInRunner> | undefined> {
  if (path === null) return undefined;
  const { default: inner, reply = isRecord(inner) ? inner["reply"] : undefined } = await importModule(
    "AGENT_RUNNER",
    path,
  );
  const isTurnFunction = typeof inner === "function" && inner !== reply;
  if (!isTurnFunction && typeof reply !== "function") {
    throw new SettingsError(
      "AGENT_RUNNER",
      `names ${path}, which exports no function reply(messages, options), and whose default export is not a function`,
    );
  }
  const plugIns = await import("../../agent/loop/plug-in.ts");
  const plugIn = isTurnFunction ? (inner as PlugIn) : plugIns.fromAgentFunction(reply as AgentFunction);
  return plugIns.createPlugInRunner(plugIn);
}

/**
 * Loads the operator's scorers: every function a module exports, by its name. Requests may name them but never contain them.
 *
 * @example export const polite = ({ reply }) => (/please|thank/i.test(reply) ? 1 : 0);
 */
export async function readCustomScorers(
  path: string | null,
  { scrub }: { scrub: (text: string) => string },
): Promise<CustomScorers> {
  if (path === null) return {};
  const module = await importModule("REHEARSAL_SCORERS_MODULE", path);
  const scorers = Object.entries(module).filter(
    (entry): entry is [string, CustomScorer] => typeof entry[1] === "function",
  );
  for (const [name] of scorers) {
    const problem = nameProblem(name);
    if (problem !== null) throw new SettingsError("REHEARSAL_SCORERS_MODULE", `exports "${name}": ${problem}`);
  }
  return Object.fromEntries(scorers.map(([name, scorer]) => [name, scrubbedScorer(scorer, scrub)]));
}

/**
 * Removes secrets from a scorer's reasons and errors, which are stored and shown to the run's owner. A service that the
 * scorer calls may repeat the key it was sent.
 */
export function scrubbedScorer(scorer: CustomScorer, scrub: (text: string) => string): CustomScorer {
  return async (input) => {
    try {
      const answer = await scorer(input);
      if (typeof answer !== "object" || answer === null || answer.reason == null) return answer;
      return { ...answer, reason: scrub(String(answer.reason)) };
    } catch (cause) {
      const text = cause instanceof Error ? cause.message || cause.name : String(cause);
      throw new Error(scrub(text), { cause });
    }
  };
}

function nameProblem(name: string): string | null {
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(name)) return "name scorers with lower-case letters, digits and _";
  return reservedScores.has(name) ? "that is the name of another score" : null;
}

async function importModule(variable: string, path: string): Promise<Record<string, unknown>> {
  const file = resolve(path);
  if (!existsSync(file)) throw new SettingsError(variable, `names ${path}, which does not exist`);
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (cause) {
    throw new SettingsError(variable, `names ${path}, which cannot be loaded: ${importFailure(cause, path)}`, {
      cause,
    });
  }
}

/** Suggests .mjs or .mts: Node takes the module kind of .js and .ts from package.json, where `npm init` writes "commonjs". */
function importFailure(cause: unknown, path: string): string {
  const reason = errorLine(cause);
  const ending = /\.(?<language>[jt]s)$/.exec(path)?.groups?.["language"];
  const isModule = /outside a module|Unexpected token 'export'/.test(reason);
  return isModule && ending !== undefined ? `${reason}: let its name end in .m${ending}` : reason;
}
