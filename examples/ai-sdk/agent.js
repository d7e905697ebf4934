import { createServer } from "node:http";
import { text as readText } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { dynamicTool, generateText, isStepCount, jsonSchema } from "ai";

/**
 * An AI SDK agent with its own tool loop, as a server. Each request brings the address of its test world in the field
 * `config.world`; in production the same place would name the agent's own MCP server.
 *
 * @param {{ modelUrl: string, model: string, port?: number }} options an OpenAI-compatible base URL, and the model there
 */
export async function serveAgent({ modelUrl, model, port = 0 }) {
  const server = createServer(async (request, response) => {
    const { messages, config } = JSON.parse(await readText(request));
    const content = await answer(messages, { model: chatModel(modelUrl, model), world: config.world });
    response.setHeader("content-type", "application/json").end(JSON.stringify({ type: "ai", content }));
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

async function answer(messages, { model, world }) {
  const client = new Client({ name: "ai-sdk-agent", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(world)));
  try {
    const tools = (await client.listTools()).tools.map(({ name, description, inputSchema }) => [
      name,
      dynamicTool({
        description,
        inputSchema: jsonSchema(inputSchema),
        execute: async (args) => resultText(await client.callTool({ name, arguments: args })),
      }),
    ]);
    const { text } = await generateText({
      model,
      tools: Object.fromEntries(tools),
      messages: messages.map(({ type, content }) => ({ role: type === "ai" ? "assistant" : "user", content })),
      stopWhen: isStepCount(20),
    });
    return text;
  } finally {
    await client.close();
  }
}

const resultText = ({ content }) => content.map(({ text = "" }) => text).join("");

/** A model behind an OpenAI-compatible endpoint. Any provider of the AI SDK can take its place. */
function chatModel(modelUrl, modelId) {
  return {
    specificationVersion: "v4",
    provider: "openai-compatible",
    modelId,
    supportedUrls: {},
    async doGenerate({ prompt, tools = [] }) {
      const response = await fetch(`${modelUrl}/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${process.env.MODEL_API_KEY ?? ""}` },
        body: JSON.stringify({
          model: modelId,
          messages: prompt.flatMap(toOpenAi),
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: "function",
            function: { name, description, parameters: inputSchema },
          })),
        }),
      });
      const { choices, usage } = await response.json();
      const [{ message }] = choices;
      const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
        type: "tool-call",
        toolCallId: id,
        toolName: name,
        input,
      }));
      return {
        content: [...(message.content ? [{ type: "text", text: message.content }] : []), ...calls],
        finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined },
        usage: { inputTokens: { total: usage?.prompt_tokens }, outputTokens: { total: usage?.completion_tokens } },
        warnings: [],
      };
    },
    doStream() {
      throw new Error("This agent does not stream.");
    },
  };
}

function toOpenAi({ role, content }) {
  if (role === "tool") {
    return content.map(({ toolCallId, output }) => ({ role, tool_call_id: toolCallId, content: String(output.value) }));
  }
  const text = typeof content === "string" ? content : content.flatMap((part) => part.text ?? []).join("");
  const tool_calls = (Array.isArray(content) ? content : [])
    .filter(({ type }) => type === "tool-call")
    .map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      type: "function",
      function: { name: toolName, arguments: JSON.stringify(input) },
    }));
  return [{ role, content: text, ...(tool_calls.length > 0 && { tool_calls }) }];
}

if (process.argv[1] === import.meta.filename) {
  const { MODEL_URL = "http://127.0.0.1:11434/v1", MODEL = "qwen3", PORT = "8090" } = process.env;
  const { url } = await serveAgent({ modelUrl: MODEL_URL, model: MODEL, port: Number(PORT) });
  console.log(`AI SDK agent at ${url}`);
}
