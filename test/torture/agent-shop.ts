import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import type { AddressInfo } from "node:net";

/** A model and the shop its tools act on, which count what reaches them. */
export interface AgentShop extends AsyncDisposable {
  /** The model's base URL. */
  readonly model: string;
  /** The tools, for AGENT_HTTP_TOOLS: `buy` has an effect, `look` is declared idempotent by its method. */
  readonly tools: object;
  /** How often each step was bought. */
  readonly bought: ReadonlyMap<string, number>;
  /** Steps whose outcome the model was told to be unknown. */
  readonly uncertain: ReadonlySet<string>;
  readonly modelCalls: number;
  /** Conversations whose tool results are not those of the calls, one each and in order. */
  readonly wrong: readonly string[];
  /** Resolves when so many more requests have arrived. */
  arrived(count: number): Promise<void>;
}

/** The calls of each reply of a turn before its last. `look` and `buy` of the second run at once. */
export const stepsOf = (
  turn: string,
): readonly (readonly { readonly tool: "buy" | "look"; readonly step: string }[])[] => [
  [{ tool: "buy", step: `${turn} a` }],
  [
    { tool: "buy", step: `${turn} b` },
    { tool: "look", step: `${turn} c` },
  ],
];

export const answerOf = (turn: string): string => `${turn} is done`;

const uncertainText = "It is not known whether this call was carried out";

export async function startAgentShop({ latencyMs }: { latencyMs: number }): Promise<AgentShop> {
  const bought = new Map<string, number>();
  const uncertain = new Set<string>();
  const wrong: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let requests = 0;
  let modelCalls = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: unknown = request.method === "POST" ? await json(request) : null;
    requests += 1;
    for (const { count, resolve } of waiting) if (requests >= count) resolve();
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://shop");
    if (pathname === "/buy") {
      const { step } = body as { step: string };
      bought.set(step, (bought.get(step) ?? 0) + 1);
      return later(() => response.end(`bought ${step}`));
    }
    if (pathname === "/look") return later(() => response.end(`saw ${searchParams.get("step")}`));
    modelCalls += 1;
    const message = nextMessage(body as Asked);
    later(() => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(completion(message)));
    });
  }

  const later = (send: () => void): void => void setTimeout(send, latencyMs * (0.5 + Math.random()));

  function nextMessage({ messages }: Asked): object {
    const start = messages.findLastIndex(({ role }) => role === "user");
    const turn = messages[start]?.content ?? "";
    const replies = stepsOf(turn);
    const results = messages.slice(start).flatMap(({ role, content }) => (role === "tool" ? [content ?? ""] : []));
    const expected = replies.flat().slice(0, results.length);
    for (const [index, { tool, step }] of expected.entries()) {
      const text = results[index] ?? "";
      if (text.includes(uncertainText)) uncertain.add(step);
      else if (!text.includes(`${tool === "buy" ? "bought" : "saw"} ${step}`)) wrong.push(`${step}: ${text}`);
    }
    let done = 0;
    for (const calls of replies) {
      if (results.length === done) return { content: null, tool_calls: calls.map(toCall) };
      done += calls.length;
    }
    return { content: answerOf(turn) };
  }

  const server = createServer((request, response) => {
    response.on("error", () => {});
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const parameters = { type: "object", properties: { step: { type: "string" } }, required: ["step"] };

  return {
    model: `${origin}/v1`,
    tools: {
      tools: [
        { name: "buy", description: "Buys.", method: "POST", url: `${origin}/buy`, parameters },
        { name: "look", description: "Looks.", method: "GET", url: `${origin}/look`, parameters },
      ],
    },
    bought,
    uncertain,
    wrong,
    get modelCalls() {
      return modelCalls;
    },
    arrived(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count: requests + count, resolve });
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
}

function toCall({ tool, step }: { tool: string; step: string }, index: number): object {
  return {
    id: `call_${index}`,
    type: "function",
    function: { name: tool, arguments: JSON.stringify({ step }) },
  };
}

function completion(message: object) {
  return {
    id: "1",
    object: "chat.completion",
    model: "shopping",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", ...message } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}
