import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";

/** Where the counting provider serves its agent. */
export const agentPath = "/agent";
export const agentAt = (endpoint: string): string => new URL(agentPath, endpoint).href;

/** The header that brings the agent the address of its world. */
export const worldHeader = "x-world";

/** The name of a turn, without the number of the simulator's call. */
export const nameOf = (message: string): string => message.replace(/#\d+$/, "");

/** The calls of a turn in a world. */
export const stepsOf = (turn: string): readonly string[] => ["a", "b", "c"].map((step) => `${turn} ${step}`);

interface AgentOptions {
  /** Called when a turn arrives, and before each of its calls. */
  readonly note: (turn: string, step: number) => void;
  readonly pause: () => Promise<void>;
}

/**
 * An agent with a tool loop of its own: it writes the steps of a turn into its world, one by one, and repeats the name of the turn.
 * The reply says `wrong` when the world has other steps than those of the earlier turns and of this one, each once.
 */
export function createForeignAgent({ note, pause }: AgentOptions) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { messages } = (await json(request)) as { messages: readonly { type: string; content: string }[] };
      const turns = messages.flatMap(({ type, content }) => (type === "human" ? [nameOf(content)] : []));
      const turn = turns.at(-1) ?? "";
      const steps = turns.flatMap(stepsOf);
      const earlier = steps.length - stepsOf(turn).length;
      let content = turn;
      note(turn, 0);
      for (const [index, step] of steps.slice(earlier).entries()) {
        await pause();
        note(turn, index + 1);
        const result = await callTool(String(request.headers[worldHeader]), { name: "write", arguments: { step } });
        const expected = JSON.stringify(steps.slice(0, earlier + index + 1));
        if (result !== expected) content = `wrong results: ${result}, expected ${expected}`;
      }
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ type: "ai", content }));
    } catch {
      // The world dies with the process that serves it.
      response.destroy();
    }
  };
}

/** One call over streamable HTTP, as a client without a session makes it. */
async function callTool(world: string, params: object): Promise<string> {
  const answer = await fetch(world, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const text = await answer.text();
  const body = (/^data: (.*)$/m.exec(text)?.[1] ?? text) as string;
  const { result } = JSON.parse(body) as { result?: { content: readonly { text: string }[] } };
  return result?.content[0]?.text ?? body;
}
