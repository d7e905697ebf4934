import { z } from "zod";
import type { ChatMessage, ChatRequest } from "../../contract/ports/chat-model.ts";

const Text = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal("text"), text: z.string() }))
    .transform((parts) => parts.map(({ text }) => text).join("")),
]);

const FunctionCall = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const Message = z.discriminatedUnion("role", [
  z.object({ role: z.enum(["system", "developer"]), content: Text }),
  z.object({ role: z.literal("user"), content: Text }),
  z.object({ role: z.literal("assistant"), content: Text.nullish(), tool_calls: z.array(FunctionCall).nullish() }),
  z.object({ role: z.literal("tool"), content: Text, tool_call_id: z.string(), name: z.string().optional() }),
]);

const Tool = z.object({
  type: z.literal("function"),
  function: z.object({
    name: z.string().min(1),
    description: z.string().default(""),
    parameters: z.record(z.string(), z.unknown()).default({}),
  }),
});

const Choice = z.enum(["auto", "none", "required"]);
const NamedChoice = z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) });

/** Body of an OpenAI chat completion, as far as a demo has use for it; other fields are ignored. */
export const CompletionRequest = z.object({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  tools: z.array(Tool).nullish(),
  tool_choice: z.union([Choice, NamedChoice]).nullish(),
  n: z.literal(1, "only one choice is possible").nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(10).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  seed: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
});
export type CompletionRequest = z.infer<typeof CompletionRequest>;

/** The request as every model of ours takes it. */
export function toChatRequest(body: CompletionRequest): ChatRequest {
  const { tool_choice: choice, response_format: format } = body;
  // A named choice leaves only that tool to call.
  const named = typeof choice === "object" && choice !== null ? choice.function.name : null;
  const tools = (body.tools ?? []).map((tool) => tool.function).filter(({ name }) => named === null || name === named);
  const tool_choice = typeof choice === "string" ? choice : named === null ? "auto" : "required";
  const isStructured = format && format.type !== "text";
  return {
    messages: body.messages.map(toChatMessage),
    ...(tools.length > 0 && { tools, tool_choice }),
    ...(isStructured && { format: { name: format.type, schema: {} } }),
    parameters: {
      max_tokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
      seed: body.seed ?? undefined,
      stop: body.stop ?? undefined,
    },
  };
}

function toChatMessage(message: z.infer<typeof Message>): ChatMessage {
  if (message.role === "developer") return { ...message, role: "system" };
  if (message.role === "tool") {
    const { name, ...rest } = message;
    return name === undefined ? rest : { ...rest, name };
  }
  if (message.role !== "assistant") return { role: message.role, content: message.content };
  const calls = (message.tool_calls ?? []).map(({ id, function: called }) => ({ id, ...called }));
  return { role: "assistant", content: message.content ?? "", ...(calls.length > 0 && { tool_calls: calls }) };
}
