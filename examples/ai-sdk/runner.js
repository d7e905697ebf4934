import { dynamicTool, generateText, isStepCount, jsonSchema } from "ai";

/**
 * An agent of the AI SDK that answers the turns of the agent backend. The model and the tools are those of the backend:
 * `ask` and `use` are counted, limited, recorded and streamed there.
 *
 * @param {import("../../src/agent/plug-in/plug-in.ts").PlugInTurn} turn
 */
export default async function answer({ messages, tools, ask, use, signal }) {
  const offered = tools.map(({ name, description, parameters }) => [
    name,
    dynamicTool({
      description,
      inputSchema: jsonSchema(parameters),
      execute: (args, { toolCallId }) => use({ id: toolCallId, name, args }),
    }),
  ]);
  const result = await generateText({
    model: backendModel(ask),
    instructions: messages.filter(({ role }) => role === "system").map(({ content }) => ({ role: "system", content })),
    messages: messages.filter(({ role }) => role !== "system").map(toModelMessage),
    tools: Object.fromEntries(offered),
    // The backend's own limits end a turn; the SDK's must not come first, nor may it retry what the backend has retried.
    stopWhen: isStepCount(200),
    maxRetries: 0,
    abortSignal: signal,
  });
  return result.text;
}

/** The model the client chose, as the AI SDK calls models. */
function backendModel(ask) {
  return {
    specificationVersion: "v4",
    provider: "rehearsal",
    modelId: "chosen-by-the-client",
    supportedUrls: {},
    async doGenerate({ prompt, tools = [] }) {
      const reply = await ask({
        messages: prompt.flatMap(fromPrompt),
        tools: tools.map(({ name, description = "", inputSchema }) => ({ name, description, parameters: inputSchema })),
      });
      const calls = reply.tool_calls.map(({ id, name, arguments: input }) => ({
        type: "tool-call",
        toolCallId: id,
        toolName: name,
        input,
      }));
      return {
        content: [...(reply.text === "" ? [] : [{ type: "text", text: reply.text }]), ...calls],
        finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: reply.finish_reason },
        usage: toUsage(reply.usage),
        warnings: [],
      };
    },
    doStream() {
      throw new Error("The backend streams what the model says by itself.");
    },
  };
}

function toUsage(usage) {
  return {
    inputTokens: { total: usage?.prompt_tokens, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: usage?.completion_tokens, text: undefined, reasoning: undefined },
  };
}

function toModelMessage(message) {
  if (message.role === "tool") {
    const { tool_call_id: toolCallId, name: toolName = "tool", content: value } = message;
    return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }] };
  }
  if (message.role !== "assistant") return { role: "user", content: message.content };
  const calls = (message.tool_calls ?? []).map(({ id, name, arguments: text }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input: parse(text),
  }));
  return { role: "assistant", content: [{ type: "text", text: message.content }, ...calls] };
}

/** One message of the SDK's prompt may hold several results; each is a message of its own to the backend. */
function fromPrompt({ role, content }) {
  if (role === "system") return [{ role, content }];
  const text = content.flatMap((part) => (part.type === "text" ? part.text : [])).join("");
  if (role === "user") return [{ role, content: text }];
  if (role === "tool") {
    return content
      .filter(({ type }) => type === "tool-result")
      .map(({ toolCallId, toolName, output }) => ({
        role,
        tool_call_id: toolCallId,
        name: toolName,
        content:
          output.type === "text" || output.type === "error-text" ? output.value : JSON.stringify(output.value ?? ""),
      }));
  }
  const tool_calls = content
    .filter(({ type }) => type === "tool-call")
    .map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, arguments: JSON.stringify(input) }));
  return [{ role, content: text, ...(tool_calls.length > 0 && { tool_calls }) }];
}

/** Models do write broken JSON; the tool's own schema then says what is missing. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
