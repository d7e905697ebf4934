import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

/**
 * Answers the turns of the agent backend with a LangGraph ReAct graph. The model and the tools belong to the backend: it
 * counts, limits, records and streams every `ask` and `use`.
 *
 * @param {import("../../src/agent/loop/plug-in.ts").PlugInTurn} turn
 */
export default async function answer({ messages, tools, ask, use, signal }) {
  async function callModel(state) {
    const reply = await ask({ messages: state.messages.map(fromLangChain), tools });
    const toolCalls = reply.tool_calls.map(({ id, name, arguments: text }) => ({ id, name, args: parse(text) }));
    return { messages: [new AIMessage({ content: reply.text, tool_calls: toolCalls })] };
  }

  async function callTools(state) {
    const calls = state.messages.at(-1).tool_calls;
    const results = await Promise.all(
      calls.map(
        async ({ id, name, args }) =>
          new ToolMessage({ content: await use({ id, name, args }), tool_call_id: id, name }),
      ),
    );
    return { messages: results };
  }

  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model", callModel)
    .addNode("tools", callTools)
    .addEdge(START, "model")
    .addConditionalEdges("model", (state) => (state.messages.at(-1).tool_calls?.length ? "tools" : END))
    .addEdge("tools", "model")
    .compile();

  // The backend's own limits end a turn; the graph must not stop earlier.
  const end = await graph.invoke({ messages: messages.map(toLangChain) }, { signal, recursionLimit: 200 });
  return end.messages.at(-1).text;
}

function toLangChain(message) {
  switch (message.role) {
    case "system":
      return new SystemMessage(message.content);
    case "user":
      return new HumanMessage(message.content);
    case "tool":
      return new ToolMessage({ content: message.content, tool_call_id: message.tool_call_id });
    default: {
      const tool_calls = (message.tool_calls ?? []).map(({ id, name, arguments: text }) => ({
        id,
        name,
        args: parse(text),
      }));
      return new AIMessage({ content: message.content, tool_calls });
    }
  }
}

function fromLangChain(message) {
  const content = message.text;
  switch (message.getType()) {
    case "system":
      return { role: "system", content };
    case "human":
      return { role: "user", content };
    case "tool":
      return { role: "tool", content, tool_call_id: message.tool_call_id };
    default: {
      const tool_calls = (message.tool_calls ?? []).map(({ id, name, args }) => ({
        id,
        name,
        arguments: JSON.stringify(args),
      }));
      return { role: "assistant", content, ...(tool_calls.length > 0 && { tool_calls }) };
    }
  }
}

/** Models may write broken JSON. The tool's schema check then reports the missing arguments. */
function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
