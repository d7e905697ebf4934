import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

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
  /** Resolves when so many more calls have arrived. */
  arrived(count: number): Promise<void>;
}

/** Each turn's user message names the turn; the answer repeats it, after `latencyMs`. */
export async function startCountingProvider({ latencyMs }: { latencyMs: number }): Promise<CountingProvider> {
  const calls: SeenCall[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const recoveries: number[] = [];
  const lastCall = new Map<string, number>();
  let atOnce = 0;
  let mostAtOnce = 0;

  function note(turn: string): void {
    const at = Date.now();
    calls.push({ turn, at });
    const before = lastCall.get(turn);
    if (before !== undefined) recoveries.push(at - before);
    lastCall.set(turn, at);
    for (const { count, resolve } of waiting) if (calls.length >= count) resolve();
  }

  const server = createServer((request, response) => {
    atOnce += 1;
    // Node tells of a connection that has ended at the end of its turn: after a busy one, that is behind calls that came later.
    setImmediate(() => setImmediate(() => (mostAtOnce = Math.max(mostAtOnce, atOnce))));
    // Also when the worker is killed: its connections end with it.
    response.once("close", () => (atOnce -= 1));
    response.on("error", () => {});
    void lastUserMessage(request).then(
      (turn) => {
        note(turn);
        setTimeout(() => {
          response.setHeader("content-type", "application/json");
          response.end(JSON.stringify(completion(turn)));
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

async function lastUserMessage(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { content: string }[] };
  return messages.at(-1)?.content ?? "";
}

function completion(text: string) {
  return {
    id: "1",
    object: "chat.completion",
    model: "counting",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}
