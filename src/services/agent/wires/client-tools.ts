import { compact } from "../../../base/compact.ts";
import type { Tool } from "../../../agent/tools/tool.ts";
import type { CacheControl, ChatModel, ToolDefinition } from "../../../contract/ports/chat-model.ts";
import type { ResponseTool } from "../../../contract/schemas/wires/openai-responses.ts";
import { fieldError } from "./read-turn.ts";

/** A tool of the client. Only its name is required. */
export function toToolDefinition({
  name,
  description,
  parameters,
  strict,
  cache_control,
}: Pick<ResponseTool, "name" | "description" | "parameters" | "strict"> & {
  readonly cache_control?: CacheControl | null | undefined;
}): ToolDefinition {
  return compact({
    name,
    description: description ?? "",
    parameters: parameters ?? { type: "object", properties: {} },
    strict: typeof strict === "boolean" ? strict : undefined,
    cache_control: cache_control ?? undefined,
  });
}

/** `null`: the model decides. `allowed`: the only tools it may use. */
export type ToolChoice = ForcedChoice | AllowedTools | "none" | null;

type ForcedChoice = "required" | { readonly name: string };

interface AllowedTools {
  readonly allowed: readonly string[];
  readonly isRequired: boolean;
}

export interface ToolPlan {
  readonly tools: readonly Tool[];
  readonly clientTools: readonly ToolDefinition[];
  readonly adapt: ((model: ChatModel) => ChatModel) | undefined;
}

/** The tools that the model is offered, ours and the client's, with the choice it must make. */
export function planTools({
  tools,
  clientTools,
  choice,
}: {
  tools: readonly Tool[];
  clientTools: readonly ToolDefinition[];
  choice: ToolChoice;
}): ToolPlan {
  refuseRepeats(clientTools);
  if (choice === "none") return { tools: [], clientTools: [], adapt: undefined };
  if (choice === null) return { tools, clientTools, adapt: undefined };
  const offered = new Set([...tools.map(({ definition }) => definition.name), ...clientTools.map(({ name }) => name)]);
  if (choice === "required" && offered.size === 0) throw fieldError("/tool_choice", "needs at least one tool");
  const unknown = clientToolNames(choice).find((name) => !offered.has(name));
  if (unknown !== undefined)
    throw fieldError("/tool_choice", `names ${quoteName(unknown)}, which is not a tool of this request`);
  if (typeof choice === "string" || "name" in choice) {
    return { tools, clientTools, adapt: (model) => withFirstChoice(model, choice) };
  }
  const allowed = new Set(choice.allowed);
  return planTools({
    tools: tools.filter(({ definition }) => allowed.has(definition.name)),
    clientTools: clientTools.filter(({ name }) => allowed.has(name)),
    choice: choice.isRequired ? "required" : null,
  });
}

function clientToolNames(choice: ForcedChoice | AllowedTools): readonly string[] {
  if (typeof choice === "string") return [];
  return "name" in choice ? [choice.name] : choice.allowed;
}

/** Only the first call is forced: a model that must call a tool every time never answers. */
function withFirstChoice(model: ChatModel, choice: ForcedChoice): ChatModel {
  let first = true;
  return (request, options) => {
    const { tools } = request;
    if (!first || !tools) return model(request, options);
    first = false;
    const chosen = choice === "required" ? tools : tools.filter(({ name }) => name === choice.name);
    return model({ ...request, tools: chosen, tool_choice: "required" }, options);
  };
}

function refuseRepeats(tools: readonly ToolDefinition[]): void {
  const names = new Set<string>();
  for (const [index, { name }] of tools.entries()) {
    if (names.has(name)) throw fieldError(`/tools/${index}`, `repeats the name ${quoteName(name)}`);
    names.add(name);
  }
}

function quoteName(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
