import { createServer } from "node:http";
import { text as readText } from "node:stream/consumers";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/**
 * A LangGraph agent with its own tool loop, as a server. Each request brings the address of its test world in the header
 * `rehearsal-world`; in production the same place would name the agent's own MCP server.
 *
 * @param {{ modelUrl: string, model: string, port?: number }} options an OpenAI-compatible base URL, and the model there
 */
export async function serveAgent({ modelUrl, model, port = 0 }) {
  const server = createServer(async (request, response) => {
    const { messages } = JSON.parse(await readText(request));
    const content = await answer(messages, { modelUrl, model, world: request.headers["rehearsal-world"] });
    response.setHeader("content-type", "application/json").end(JSON.stringify({ type: "ai", content }));
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

async function answer(messages, { modelUrl, model, world }) {
  const client = new Client({ name: "langgraph-agent", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(world)));
  try {
    const tools = (await client.listTools()).tools.map(({ name, description, inputSchema }) =>
      tool(async (args) => resultText(await client.callTool({ name, arguments: args })), {
        name,
        description: description || name,
        schema: inputSchema,
      }),
    );
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async (state) => ({ messages: [await ask(state.messages, { modelUrl, model, tools })] }))
      .addNode("tools", new ToolNode(tools))
      .addEdge("__start__", "model")
      .addConditionalEdges("model", toolsCondition)
      .addEdge("tools", "model")
      .compile();
    const asked = messages.map(({ type, content }) =>
      type === "ai" ? new AIMessage(content) : new HumanMessage(content),
    );
    return (await graph.invoke({ messages: asked })).messages.at(-1).text;
  } finally {
    await client.close();
  }
}

/** One call of an OpenAI-compatible model. */
async function ask(messages, { modelUrl, model, tools }) {
  const response = await fetch(`${modelUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${process.env.MODEL_API_KEY ?? ""}` },
    body: JSON.stringify({
      model,
      messages: messages.map(toOpenAi),
      tools: tools.map(({ name, description, schema }) => ({
        type: "function",
        function: { name, description, parameters: schema },
      })),
    }),
  });
  const [{ message }] = (await response.json()).choices;
  const tool_calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
    id,
    name,
    args: JSON.parse(args),
  }));
  return new AIMessage({ content: message.content ?? "", tool_calls });
}

function toOpenAi(message) {
  if (message.getType() === "human") return { role: "user", content: message.text };
  if (message.getType() === "tool") {
    return { role: "tool", tool_call_id: message.tool_call_id, content: message.text };
  }
  const tool_calls = (message.tool_calls ?? []).map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: "assistant", content: message.text, ...(tool_calls.length > 0 && { tool_calls }) };
}

const resultText = ({ content }) => content.map(({ text = "" }) => text).join("");

if (process.argv[1] === import.meta.filename) {
  const { MODEL_URL = "http://127.0.0.1:11434/v1", MODEL = "qwen3", PORT = "8090" } = process.env;
  const { url } = await serveAgent({ modelUrl: MODEL_URL, model: MODEL, port: Number(PORT) });
  console.log(`LangGraph agent at ${url}`);
}
