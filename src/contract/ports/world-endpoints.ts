import type { ToolDefinition } from "./chat-model.ts";

/** The world of one attempt, as an agent with a tool loop of its own uses it. */
export interface ServedWorld {
  readonly tools: readonly ToolDefinition[];
  /** Carries out a call, stored before it resolves. Null: refused, because no turn of the attempt is under way. */
  call(name: string, args: unknown, signal: AbortSignal): Promise<{ text: string; isError: boolean } | null>;
}

/** A private MCP endpoint of a world, closed when its attempt ends. */
export interface OpenWorldEndpoint {
  /** Unguessable, and reachable for the agent. */
  readonly url: string;
  /** The requests so far: those that were answered, and those that were refused, as of a client that speaks another protocol. */
  readonly requests: () => { readonly answered: number; readonly refused: number };
  /** Refuses every later call. */
  close(): void;
}

/** The attempt that a world belongs to. */
export interface ServedAttempt {
  readonly runId: string;
  /** For logs. */
  readonly name: string;
  /** The agent that gets the address, if that is one with an address of its own. */
  readonly agent?: string | undefined;
  /** Where agents reach the service that accepted the run. */
  readonly origin?: string | undefined;
}

/** Opens private MCP endpoints in this process. */
export interface WorldEndpoints {
  open(world: ServedWorld, attempt: ServedAttempt): Promise<OpenWorldEndpoint>;
}
