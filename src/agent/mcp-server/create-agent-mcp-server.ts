import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { ServiceError } from "../../contract/errors.ts";
import { progressTo } from "./progress-to.ts";

/** A model that can be asked through the server. */
interface OfferedModel {
  readonly id: string;
  readonly name?: string | undefined;
}

export interface AgentQuestion {
  readonly message: string;
  readonly model_id: string;
  /** By which the client knows its call. */
  readonly id: string | number;
  readonly signal: AbortSignal;
  /** To be called whenever something has happened. */
  readonly onStep: () => void;
}

export interface AgentMcpDependencies {
  /** One question to the agent, its answer as text. A `ServiceError` is shown to the caller, anything else is not. */
  readonly ask: (question: AgentQuestion) => Promise<string>;
  readonly models: () => Promise<readonly OfferedModel[]>;
  readonly version?: string;
  /** How long a call is silent at most, for a client that asks to be told of its progress. */
  readonly silenceMs?: number;
}

const Question = z.object({
  message: z.string().min(1).max(100_000).describe("The question or task, in full: the agent knows nothing else."),
  model_id: z.string().min(1).max(512).describe("A model from list_models."),
});

/** This agent as an MCP server, so that other agents can ask it. Connect it to any transport of the protocol's library. */
export function createAgentMcpServer({
  ask,
  models,
  version = "1",
  silenceMs = 10_000,
}: AgentMcpDependencies): McpServer {
  const server = new McpServer({ name: "rehearsal-agent", version });

  server.registerTool(
    "ask_agent",
    {
      title: "Ask the agent",
      description: "Puts a question to a tool-using agent and gives its answer. Every call is a new conversation.",
      inputSchema: Question,
      annotations: { openWorldHint: true },
    },
    async ({ message, model_id }, { mcpReq }) => {
      const { id, signal } = mcpReq;
      const tell = progressTo(mcpReq);
      let steps = 0;
      const onStep = (): void => tell((steps += 1));
      // One model call may take longer than a client waits in silence.
      const ticks = setInterval(onStep, silenceMs);
      return answer(() => ask({ message, model_id, id, signal, onStep })).finally(() => clearInterval(ticks));
    },
  );
  server.registerTool(
    "list_models",
    {
      title: "List models",
      description: "Lists the models that ask_agent can use.",
      annotations: { readOnlyHint: true },
    },
    async () => answer(async () => JSON.stringify({ models: await models() })),
  );
  return server;
}

/** A failure is a result that says so; what we did not foresee says nothing more. */
async function answer(work: () => Promise<string>) {
  try {
    return { content: [{ type: "text" as const, text: await work() }] };
  } catch (error) {
    const text = error instanceof ServiceError ? error.message : "The agent failed to answer.";
    return { content: [{ type: "text" as const, text }], isError: true };
  }
}
