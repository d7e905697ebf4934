import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import { calculator, serveAgent } from "./serve-agent.mjs";

const { name, description, run } = calculator;
const agent = createReactAgent({
  llm: new ChatOpenAI({ model: "fake", apiKey: "none", configuration: { baseURL: process.argv[2] } }),
  tools: [tool(run, { name, description, schema: z.object({ expression: z.string() }) })],
});

serveAgent(async (contents) => {
  const { messages } = await agent.invoke({ messages: contents.map((content) => ({ role: "user", content })) });
  return messages.at(-1).content;
});
