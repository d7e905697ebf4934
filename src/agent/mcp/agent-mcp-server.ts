import { compact } from "../../base/compact.ts";
import { McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { ServiceError } from "../../contract/errors/errors.ts";

/** A model that `ask_agent` accepts. */
interface OfferedModel {
  readonly id: string;
  readonly name?: string | undefined;
}

export interface AgentQuestion {
  readonly message: string;
  readonly model_id: string;
  /** The client's id of the call. */
  readonly id: string | number;
  readonly signal: AbortSignal;
  /** Reports progress. Call it after every event. */
  readonly onStep: () => void;
}

export interface AgentMcpDependencies {
  /** Asks the agent and resolves with its answer. The caller sees the message of a `ServiceError`, but of no other error. */
  readonly ask: (question: AgentQuestion) => Promise<string>;
  readonly models: () => Promise<readonly OfferedModel[]>;
  readonly version?: string;
  /** Longest pause between progress notifications, in milliseconds. */
  readonly silenceMs?: number;
}

const Question = z.object({
  message: z.string().min(1).max(100_000).describe("The question or task, in full: the agent knows nothing else."),
  model_id: z.string().min(1).max(512).describe("A model from list_models."),
});

/** This agent as an MCP server for other agents. Connect it to any transport of the MCP library. */
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
      const report = createProgressReporter(mcpReq);
      let steps = 0;
      const onStep = (): void => report((steps += 1));
      // One model call may take longer than a client waits without progress.
      const ticks = setInterval(onStep, silenceMs);
      return answerRequest(() => ask({ message, model_id, id, signal, onStep })).finally(() => clearInterval(ticks));
    },
  );
  server.registerTool(
    "list_models",
    {
      title: "List models",
      description: "Lists the models that ask_agent can use.",
      annotations: { readOnlyHint: true },
    },
    async () => answerRequest(async () => JSON.stringify({ models: await models() })),
  );
  return server;
}

/** A failure is a result with `isError`; the message of an unforeseen error stays hidden. */
async function answerRequest(work: () => Promise<string>) {
  try {
    return { content: [{ type: "text" as const, text: await work() }] };
  } catch (error) {
    const text = error instanceof ServiceError ? error.message : "The agent failed to answer.";
    return { content: [{ type: "text" as const, text }], isError: true };
  }
}

/**
 * Sends progress notifications to a client that asked for them. Many clients cancel a call after a minute without progress.
 */
export function createProgressReporter({
  _meta,
  notify,
}: ServerContext["mcpReq"]): (progress: number, total?: number) => void {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => {};
  return (progress, total) => {
    const params = compact({ progressToken, progress, total });
    // A client that is gone needs no notification.
    notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
