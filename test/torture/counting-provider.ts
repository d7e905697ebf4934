import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import type { AddressInfo } from "node:net";
import { agentPath, createForeignAgent, nameOf, stepsOf } from "./foreign-agent.ts";

/** One call for one turn, as the endpoint saw it. Times are milliseconds since 1970. */
interface SeenCall {
  readonly turn: string;
  readonly at: number;
}

/** An endpoint that remembers which turn was asked for when, and how many calls there were at once. */
export interface CountingProvider extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly SeenCall[];
  readonly mostAtOnce: number;
  /** Milliseconds from a call whose caller was killed before it had stored the answer to the next one for the same turn. */
  readonly recoveries: readonly number[];
  /** Turns for which the model saw different messages of a simulated user. */
  readonly changedMessages: readonly string[];
  /** Resolves when so many more calls have arrived. */
  arrived(count: number): Promise<void>;
}

/**
 * Each turn's user message names the turn; the answer repeats it, after `latencyMs`. A caller that offers tools gets the calls of
 * `stepsOf` first; a simulator, the message of the next turn with a number that is new for each call, and `wrong` as its answer when the results of its calls are not those of a world in which each call took place once.
 */
export async function startCountingProvider({ latencyMs }: { latencyMs: number }): Promise<CountingProvider> {
  const calls: SeenCall[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const recoveries: number[] = [];
  const lastCall = new Map<string, number>();
  const messages = new Map<string, string>();
  const changedMessages: string[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;

  function note(turn: string, step: number): void {
    const at = Date.now();
    calls.push({ turn, at });
    const before = lastCall.get(`${turn} ${step}`);
    if (before !== undefined) recoveries.push(at - before);
    lastCall.set(`${turn} ${step}`, at);
    for (const { count, resolve } of waiting) if (calls.length >= count) resolve();
  }

  const pause = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, latencyMs));
  const agent = createForeignAgent({ note, pause });
  const server = createServer((request, response) => {
    atOnce += 1;
    // Node tells of a connection that has ended at the end of its turn: after a busy one, that is behind calls that came later.
    setImmediate(() => setImmediate(() => (mostAtOnce = Math.max(mostAtOnce, atOnce))));
    // Also when the worker is killed: its connections end with it.
    response.once("close", () => (atOnce -= 1));
    response.on("error", () => {});
    if (request.url?.startsWith(agentPath)) return void agent(request, response);
    void readRequest(request).then(
      (asked) => {
        const decision = simulatedTurn(asked, calls.length);
        const message = decision?.message ?? lastUserMessage(asked);
        const turn = nameOf(message);
        note(turn, decision ? -1 : asked.tools ? toolMessages(asked).length : 0);
        if (!decision && (messages.get(turn) ?? message) !== message) changedMessages.push(turn);
        if (!decision) messages.set(turn, message);
        const answer = decision
          ? { content: JSON.stringify(decision) }
          : asked.tools
            ? actingMessage(asked)
            : { content: turn };
        setTimeout(() => {
          response.setHeader("content-type", "application/json");
          response.end(JSON.stringify(completion(answer)));
        }, latencyMs);
      },
      () => response.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    recoveries,
    changedMessages,
    get mostAtOnce() {
      return mostAtOnce;
    },
    arrived(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count: calls.length + count, resolve });
      return promise;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
  readonly tools?: unknown;
}

async function readRequest(request: IncomingMessage): Promise<Asked> {
  return (await json(request)) as Asked;
}

function lastUserMessage({ messages }: Asked): string {
  return messages.findLast(({ role }) => role === "user")?.content ?? "";
}

/** The decision of a simulated user, when one is asked for. Its goal names the scenario and the number of turns. */
function simulatedTurn({ messages }: Asked, number: number): { why: string; message: string; done: boolean } | null {
  const [, name, turns] = /^Goal: (.*) of (\d+)$/m.exec(messages[0]?.content ?? "") ?? [];
  if (name === undefined) return null;
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const done = turn >= Number(turns);
  return { why: "next", message: done ? "" : `${name} t${turn}#${number}`, done };
}

function toolMessages({ messages }: Asked): readonly string[] {
  return messages.flatMap(({ role, content }) => (role === "tool" ? [content ?? ""] : []));
}

/** The next reply of a model that writes the steps of its turn into its world, one in the first reply and two in the second. */
function actingMessage(asked: Asked): object {
  const turn = nameOf(lastUserMessage(asked));
  const results = toolMessages(asked);
  const turns = asked.messages.flatMap(({ role, content }) => (role === "user" ? [nameOf(content ?? "")] : []));
  const steps = turns.flatMap(stepsOf);
  const areRight = results.every((text, index) => text === JSON.stringify(steps.slice(0, index + 1)));
  if (!areRight) return { content: `wrong results: ${results.join(" ")}` };
  const next = steps.slice(results.length, results.length + (results.length % 3 === 0 ? 1 : 2));
  if (next.length === 0) return { content: turn };
  return {
    content: null,
    tool_calls: next.map((step, index) => ({
      id: `call_${index}`,
      type: "function",
      function: { name: "write", arguments: JSON.stringify({ step }) },
    })),
  };
}

function completion(message: object) {
  return {
    id: "1",
    object: "chat.completion",
    model: "counting",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", ...message } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}
