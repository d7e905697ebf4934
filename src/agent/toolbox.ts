import type { ToolDefinition } from "../contract/ports/chat-model.ts";
import type { Tool } from "./tool.ts";

/** The tools of one run, by name. */
export interface Toolbox {
  /** What the model is offered. */
  readonly definitions: readonly ToolDefinition[];
  readonly own: ReadonlyMap<string, Tool>;
  readonly client: ReadonlySet<string>;
}

/** A client's tool hides ours of the same name: whoever declares a tool in a request expects to be asked. */
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
