import { dynamicTool, generateText, isStepCount, jsonSchema } from "ai";

/**
 * Answers the turns of the agent backend with the AI SDK. The model and the tools belong to the backend: it counts, limits,
 * records and streams every `ask` and `use`.
 *
 * @param {import("../../src/agent/loop/plug-in.ts").PlugInTurn} turn
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
    // The backend's own limits end a turn, and it has already retried: the SDK must not stop earlier or retry again.
    stopWhen: isStepCount(200),
    maxRetries: 0,
    abortSignal: signal,
  });
  return result.text;
}

/** The client's model behind the AI SDK's model interface. */
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
      throw new Error("Streaming is done by the agent backend.");
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

/** Splits a prompt message with several tool results, because the backend takes one result per message. */
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

/** Models may write broken JSON. The tool's schema check then reports the missing arguments. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
