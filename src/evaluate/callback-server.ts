import { AssertionError } from "node:assert";
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { compact } from "../base/compact.ts";

/** A message of a conversation, as OpenAI's chat has it. */
export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly [field: string]: unknown;
}

/** One attempt at a scenario. All of its turns get the same session. */
export interface Session {
  readonly id: string;
  readonly system?: string;
  /** The MCP address of the scenario's tools, with `useWorld` and a scenario that has a world. */
  readonly world?: string;
  /** For what the agent keeps between turns. */
  readonly state: Record<string, unknown>;
}

export interface AgentToolCall {
  readonly name: string;
  readonly arguments?: unknown;
  readonly id?: string;
  readonly result?: unknown;
  readonly error?: string;
}

/** The answer of an agent, with what it did. */
export interface AgentAnswer {
  readonly text: string;
  /** `[]` says that none was made. Without it that is not known, and rules about calls stay undecided. */
  readonly tool_calls?: readonly AgentToolCall[] | null;
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
  readonly labels?: Readonly<Record<string, unknown>>;
  /** The passages that were retrieved. */
  readonly context?: readonly (string | Readonly<Record<string, unknown>>)[];
}

export interface TargetContext {
  readonly session: Session;
  /** Aborted when the engine no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** The agent under test, as a function of this process. */
export type TargetFunction = (
  messages: readonly Message[],
  context: TargetContext,
) => string | AgentAnswer | Promise<string | AgentAnswer>;

/** A score from 0 to 1, true or false, or null where it cannot be decided. */
export type ScorerAnswer =
  | boolean
  | number
  | null
  | undefined
  | { readonly pass?: boolean; readonly score?: number; readonly reason?: string };

export type ScorerFunction = (
  reply: string,
  scored: { readonly context: Readonly<Record<string, unknown>> },
) => ScorerAnswer | Promise<ScorerAnswer>;

/** What the engine keeps of a failed answer; a longer one loses its middle. */
const keptCharacters = 1900;

/** Serves functions of this process to the engine, over loopback and with a token that only the two know. */
export async function serveCallbacks({
  target,
  scorers,
}: {
  readonly target: TargetFunction | undefined;
  readonly scorers: ReadonlyMap<string, ScorerFunction>;
}): Promise<{ readonly url: string; readonly token: string } & AsyncDisposable> {
  const token = randomBytes(32).toString("base64url");
  const sessions = new Map<string, Session>();
  const expected = Buffer.from(`Bearer ${token}`);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = Buffer.from(request.headers.authorization ?? "");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      // The body of a stranger is not read, so that the connection cannot be used again.
      response.writeHead(401, { connection: "close" }).end("wrong token");
      return;
    }
    const closed = new AbortController();
    response.once("close", () => closed.abort());
    try {
      const body = JSON.parse(await textOf(request)) as Record<string, unknown>;
      const world = request.headers["x-rehearsal-world"];
      const { url = "" } = request;
      const result =
        url === "/target"
          ? await callTarget(body, typeof world === "string" ? world : undefined, closed.signal)
          : await callScorer(decodeURIComponent(url.replace("/scorer/", "")), body);
      // Serialized within the try: what cannot be written is the fault of the function.
      const text = JSON.stringify(result) ?? "null";
      response.writeHead(200, { "content-type": "application/json" }).end(text);
    } catch (error) {
      // 422: the engine stores it as a failed turn and does not ask again.
      response.writeHead(422, { "content-type": "text/plain; charset=utf-8" }).end(failureText(error));
    }
  }

  async function callTarget(
    body: Readonly<Record<string, unknown>>,
    world: string | undefined,
    signal: AbortSignal,
  ): Promise<unknown> {
    if (!target) throw new Error("this evaluation has no target function");
    const id = String(body["session_id"]);
    const { state } = sessions.get(id) ?? { state: {} };
    const system = typeof body["system"] === "string" ? body["system"] : undefined;
    const session: Session = compact({ id, system, world, state });
    sessions.set(id, session);
    return answerOf(await target((body["messages"] ?? []) as readonly Message[], { session, signal }));
  }

  async function callScorer(name: string, body: Readonly<Record<string, unknown>>): Promise<unknown> {
    const scorer = scorers.get(name);
    if (!scorer) throw new Error(`there is no scorer ${name}`);
    const context = body["context"] as Readonly<Record<string, unknown>>;
    try {
      return (await scorer(String(body["reply"]), { context })) ?? null;
    } catch (error) {
      // It has looked at the reply and found it wrong; another error says nothing about the reply.
      if (error instanceof AssertionError) return { score: 0, reason: failureText(error) };
      throw error;
    }
  }

  const server = createServer((request, response) => void answer(request, response));
  // An agent may think for longer than Node's limits.
  server.requestTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The answer as the engine reads it. `tool_calls: null` says that calls cannot be seen. */
function answerOf(answer: string | AgentAnswer): unknown {
  if (typeof answer === "string") return { text: answer, tool_calls: null };
  const { text, tool_calls, usage, labels, context } = (answer ?? {}) as Partial<AgentAnswer>;
  if (typeof text !== "string") {
    throw new TypeError("the target returned no text: return a string, or an object with `text`");
  }
  return compact({ text, tool_calls: tool_calls ?? null, usage, labels, context });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function failureText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (text.length <= keptCharacters) return text;
  const half = keptCharacters / 2;
  return `${text.slice(0, half)}\n…\n${text.slice(-half)}`;
}
