import type { ChatMessage, SuccessfulReply, ToolDefinition } from "../../contract/ports/chat-model.ts";
import type { ToolArguments } from "../tool.ts";

/** What an agent of another framework is given for one turn. */
export interface PlugInTurn {
  /** The conversation so far. */
  readonly messages: readonly ChatMessage[];
  /** The agent's tools this turn may use, as models are shown them. */
  readonly tools: readonly ToolDefinition[];
  /**
   * Asks the model the client chose. The call is counted, limited, recorded and streamed like one of our own. Rejects when
   * the model failed or a limit of the run is reached: let it pass, the turn is answered with the right failure or with
   * one last answer.
   */
  readonly ask: (request: {
    readonly messages: readonly ChatMessage[];
    readonly tools?: readonly ToolDefinition[] | undefined;
  }) => Promise<SuccessfulReply>;
  /** Runs one of the agent's tools and gives the text for the model, also when the tool failed or cannot be run so. */
  readonly use: (call: {
    readonly name: string;
    readonly args?: ToolArguments | null | undefined;
    readonly id?: string | undefined;
  }) => Promise<string>;
  /** Aborts when nobody waits any more, or when the time is over. */
  readonly signal: AbortSignal;
}

/**
 * An agent of another framework in place of the built-in loop: the default export of the module AGENT_RUNNER names.
 * Resolves with the last message of the turn.
 *
 * @example export default async ({ messages, ask }) => (await ask({ messages })).text;
 */
export type PlugIn = (turn: PlugInTurn) => Promise<string>;
