import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { CustomScorer, CustomScorers } from "../../evaluation/scorers/custom-scorer.ts";
import { errorLine } from "../../evaluation/error-line.ts";
import { SettingsError } from "../../settings/settings-error.ts";

const scoreName = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * The operator's own scorers: every function a module exports, by its name. A request may name them, never bring them.
 *
 * @example export const polite = ({ reply }) => (/please|thank/i.test(reply) ? 1 : 0);
 */
export async function readCustomScorers(path: string | null): Promise<CustomScorers> {
  if (path === null) return {};
  const module = (await import(pathToFileURL(resolve(path)).href).catch((cause: unknown) => {
    throw new SettingsError("REHEARSAL_SCORERS_MODULE", `names ${path}, which cannot be loaded: ${errorLine(cause)}`, {
      cause,
    });
  })) as Record<string, unknown>;
  const scorers = Object.entries(module).filter(
    (entry): entry is [string, CustomScorer] => typeof entry[1] === "function",
  );
  for (const [name] of scorers) {
    if (scoreName.test(name)) continue;
    const problem = `exports "${name}": name scorers with lower-case letters, digits and _`;
    throw new SettingsError("REHEARSAL_SCORERS_MODULE", problem);
  }
  return Object.fromEntries(scorers);
}
