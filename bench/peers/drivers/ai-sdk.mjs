import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ToolLoopAgent, stepCountIs, tool } from "ai";
import { z } from "zod";
import { calculator, serveAgent } from "./serve-agent.mjs";

const provider = createOpenAICompatible({ name: "fake", baseURL: process.argv[2], apiKey: "none" });
const agent = new ToolLoopAgent({
  model: provider.chatModel("fake"),
  tools: {
    calculator: tool({
      description: calculator.description,
      inputSchema: z.object({ expression: z.string() }),
      execute: async (input) => calculator.run(input),
    }),
  },
  stopWhen: stepCountIs(10),
});

serveAgent(async (contents) => {
  const { text } = await agent.generate({ messages: contents.map((content) => ({ role: "user", content })) });
  return text;
});
