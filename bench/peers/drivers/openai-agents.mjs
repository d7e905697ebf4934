import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { calculator, serveAgent } from "./serve-agent.mjs";

setTracingDisabled(true);
const client = new OpenAI({ baseURL: process.argv[2], apiKey: "none" });
const agent = new Agent({
  name: "bench",
  model: new OpenAIChatCompletionsModel(client, "fake"),
  tools: [
    tool({
      name: calculator.name,
      description: calculator.description,
      parameters: z.object({ expression: z.string() }),
      execute: async (input) => calculator.run(input),
    }),
  ],
});

serveAgent(async (contents) => {
  const result = await run(
    agent,
    contents.map((content) => ({ role: "user", content })),
  );
  return result.finalOutput;
});
