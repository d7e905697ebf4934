import { isUuid } from "../studio/uuid.ts";
import { parseModelId } from "./parse-model-id.ts";

/**
 * Checks the operator's alias table at start-up: alias → UUID or `<provider>/<model_name>`.
 * An alias may not look like either form, so that it can never capture a value the routing rules decide.
 */
export function checkAliases(aliases: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  for (const [alias, target] of Object.entries(aliases)) {
    const problem = findAliasProblem(alias) ?? findTargetProblem(target);
    if (problem) throw new Error(`Model alias ${JSON.stringify(alias)}: ${problem}`);
  }
  return new Map(Object.entries(aliases));
}

function findAliasProblem(alias: string): string | null {
  if (alias.includes("/")) return "an alias may not contain a slash";
  if (isUuid(alias)) return "an alias may not look like a UUID";
  return kindOf(alias) === "name" ? null : "an alias is printable ASCII without spaces, commas, ?, # or \\";
}

function findTargetProblem(target: string): string | null {
  const kind = kindOf(target);
  if (kind === "fine-tuned" || kind === "hub") return null;
  return `${JSON.stringify(target)} is neither a UUID nor <provider>/<model_name>`;
}

function kindOf(value: string) {
  try {
    return parseModelId(value).kind;
  } catch {
    return null;
  }
}
