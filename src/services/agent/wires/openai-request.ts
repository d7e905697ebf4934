import { pairToolMessages, type LooseMessage, type LooseToolCall } from "../../../agent/messages/history.ts";
import type { Tool } from "../../../agent/tools/tool.ts";
import { toUserMessage } from "../../../agent/messages/user-message.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { OpenAiMessage } from "../../../contract/schemas/openai-chat.ts";
import type { ResponseTool } from "../../../contract/schemas/openai-responses.ts";
import { toMarkedText, type OpenAiUserContent } from "../../../contract/schemas/openai-text.ts";
import type {
  CacheControl,
  CallEcho,
  ChatMessage,
  ChatModel,
  ToolDefinition,
  UserMessage,
  UserPart,
} from "../../../contract/ports/chat-model.ts";

/** A conversation in OpenAI's spelling as history for a model. */
export function fromOpenAiMessages(messages: readonly OpenAiMessage[]): readonly ChatMessage[] {
  return pairToolMessages(messages.map(toLooseMessage));
}

function toLooseMessage(message: OpenAiMessage): LooseMessage {
  if (message.role === "user") {
    return { ...fromUserContent(message.content, message.cache_control), ...named(message) };
  }
  const marked = toMarkedText(message.content, message.cache_control);
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", ...marked, ...named(message) };
    case "assistant":
      return {
        role: "assistant",
        ...marked,
        content: marked.content || (message.refusal ?? ""),
        ...named(message),
        tool_calls: message.tool_calls?.map((call, index) => toLooseCall(call, index === 0 ? message : null)),
      };
    case "tool":
      return { role: "tool", ...marked, tool_call_id: message.tool_call_id };
  }
}

function named({ name }: { readonly name?: string | null | undefined }) {
  return name ? { name } : {};
}

/** What a user says in either of OpenAI's spellings. `whole`: the mark of the message as such, which its last part bears. */
export function fromUserContent(content: OpenAiUserContent, whole?: CacheControl | null): UserMessage {
  if (typeof content === "string") return { role: "user", ...toMarkedText(content, whole) };
  const parts = content.map(toUserPart);
  const last = parts.at(-1);
  return toUserMessage(last && whole ? [...parts.slice(0, -1), { ...last, cache_control: whole }] : parts);
}

function toUserPart(part: Exclude<OpenAiUserContent, string>[number]): UserPart {
  const { cache_control } = part;
  const mark = cache_control ? { cache_control } : {};
  switch (part.type) {
    case "image_url":
      return { ...toImage(typeof part.image_url === "string" ? { url: part.image_url } : part.image_url), ...mark };
    case "input_image":
      return { ...toImage({ url: part.image_url, detail: part.detail }), ...mark };
    default:
      return { type: "text", text: part.text, ...mark };
  }
}

function toImage({ url, detail }: { url: string; detail?: string | null | undefined }): UserPart {
  return { type: "image", url, ...(detail && { detail }) };
}

type AssistantMessage = Extract<OpenAiMessage, { role: "assistant" }>;
type MessageCall = NonNullable<AssistantMessage["tool_calls"]>[number];

/** With what the provider wants to see again, where the client sent it back; what belongs to the message goes with its first call. */
function toLooseCall(
  { id, function: called, extra_content }: MessageCall,
  message: AssistantMessage | null,
): LooseToolCall {
  const { reasoning_content, reasoning_details, thinking } = message ?? {};
  const said = Object.entries({ reasoning_content, reasoning_details, thinking }).filter(([, value]) => value != null);
  const echo: CallEcho = {
    ...(extra_content && { call: { extra_content } }),
    ...(said.length > 0 && { message: Object.fromEntries(said) }),
  };
  return { id, ...called, ...((echo.call || echo.message) && { echo }) };
}

/** A tool of the client's, of which either interface asks for no more than its name. */
export function toToolDefinition({
  name,
  description,
  parameters,
  strict,
  cache_control,
}: Pick<ResponseTool, "name" | "description" | "parameters" | "strict"> & {
  readonly cache_control?: CacheControl | null | undefined;
}): ToolDefinition {
  return {
    name,
    description: description ?? "",
    parameters: parameters ?? { type: "object", properties: {} },
    ...(typeof strict === "boolean" && { strict }),
    ...(cache_control && { cache_control }),
  };
}

/** `null`: as the model likes. `allowed` are all that it may use. */
export type ToolChoice = ForcedChoice | AllowedTools | "none" | null;

type ForcedChoice = "required" | { readonly name: string };

interface AllowedTools {
  readonly allowed: readonly string[];
  readonly isRequired: boolean;
}

interface ToolPlan {
  readonly tools: readonly Tool[];
  readonly clientTools: readonly ToolDefinition[];
  readonly adapt: ((model: ChatModel) => ChatModel) | undefined;
}

/** Which tools the model is offered, ours and the client's, and which it must use. */
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
  const unknown = namesIn(choice).find((name) => !offered.has(name));
  if (unknown !== undefined) throw fieldError("/tool_choice", `names ${quote(unknown)}, which is no tool`);
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

function namesIn(choice: ForcedChoice | AllowedTools): readonly string[] {
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
    if (names.has(name)) throw fieldError(`/tools/${index}`, `repeats the name ${quote(name)}`);
    names.add(name);
  }
}

export function fieldError(pointer: string, message: string): ServiceError {
  return new ServiceError("validation_failed", `${pointer} ${message}`, {
    errors: [{ pointer, code: "custom", message }],
  });
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
