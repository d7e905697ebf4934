import { ServiceError } from "../../contract/errors/errors.ts";
import type { ToolDefinition } from "../../contract/ports/chat-model.ts";
import type { Tool } from "./tool.ts";

/** The tools of one run, by name. */
export interface Toolbox {
  /** The tools offered to the model. */
  readonly definitions: readonly ToolDefinition[];
  readonly own: ReadonlyMap<string, Tool>;
  readonly client: ReadonlySet<string>;
}

/** A client's tool hides ours of the same name: a request that declares a tool expects its calls. */
export function createToolbox({
  tools,
  clientTools,
}: {
  tools: readonly Tool[];
  clientTools: readonly ToolDefinition[];
}): Toolbox {
  const client = new Set(clientTools.map((tool) => tool.name));
  const own = new Map<string, Tool>();
  for (const tool of tools) {
    const { name } = tool.definition;
    if (own.has(name)) throw new TypeError(`Two tools are named "${name}".`);
    if (!client.has(name)) own.set(name, tool);
  }
  return { definitions: [...[...own.values()].map((tool) => tool.definition), ...clientTools], own, client };
}

/**
 * The tools one request may use. `null` allows all, an empty list none. An unknown name is refused, so that a request never
 * runs without a tool it relies on.
 */
export function selectTools(tools: readonly Tool[], allowed: readonly string[] | null): readonly Tool[] {
  if (allowed === null) return tools;
  const known = new Set(tools.map((tool) => tool.definition.name));
  const unknown = [...new Set(allowed)].filter((name) => !known.has(name));
  if (unknown.length > 0) {
    const hint = "Correct x-agent-tools, or leave it out to allow every tool.";
    throw new ServiceError("validation_failed", describeUnknownTool(unknown, known), { hint });
  }
  const wanted = new Set(allowed);
  return tools.filter((tool) => wanted.has(tool.definition.name));
}

function describeUnknownTool(unknown: readonly string[], known: ReadonlySet<string>): string {
  const names = unknown.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 64)));
  const more = unknown.length > names.length ? ` and ${unknown.length - names.length} more` : "";
  const choice = known.size === 0 ? "This agent has no tools." : `The tools are: ${[...known].join(", ")}.`;
  return `There is no tool named ${names.join(", ")}${more}. ${choice}`;
}
