import { ServiceError } from "../contract/errors.ts";
import type { Tool } from "./tool.ts";

/**
 * The tools one request may use. `null` allows all of them, an empty list none. A name that is not there is refused:
 * a request that counts on a tool must not run without it unawares.
 */
export function selectTools(tools: readonly Tool[], allowed: readonly string[] | null): readonly Tool[] {
  if (allowed === null) return tools;
  const known = new Set(tools.map((tool) => tool.definition.name));
  const unknown = [...new Set(allowed)].filter((name) => !known.has(name));
  if (unknown.length > 0) {
    const hint = "Correct x-agent-tools, or leave it out to allow every tool.";
    throw new ServiceError("validation_failed", describeUnknown(unknown, known), { hint });
  }
  const wanted = new Set(allowed);
  return tools.filter((tool) => wanted.has(tool.definition.name));
}

function describeUnknown(unknown: readonly string[], known: ReadonlySet<string>): string {
  const names = unknown.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 64)));
  const more = unknown.length > names.length ? ` and ${unknown.length - names.length} more` : "";
  const choice = known.size === 0 ? "This agent has no tools." : `The tools are: ${[...known].join(", ")}.`;
  return `There is no tool named ${names.join(", ")}${more}. ${choice}`;
}
