import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Behaviour, RecordedRequest } from "./fake-provider/behaviour.ts";
import { sendJson } from "./fake-provider/behaviour.ts";
import { echo } from "./fake-provider/replies.ts";

interface FakeProviderOptions {
  /** Behaviours for the first requests, in order. What follows uses the standing behaviour. */
  readonly script?: readonly Behaviour[];
  /** The standing behaviour. Default: a list of models for a GET, else an answer that repeats the last user message. */
  readonly behaviour?: Behaviour;
  /** Behaviours by the `model` of the request (its `x-model-id` for POST /); they win over the standing one. */
  readonly models?: Readonly<Record<string, Behaviour>>;
  readonly port?: number;
}

/** An OpenAI-compatible server on loopback that does what a test tells it to. */
export interface FakeProvider extends AsyncDisposable {
  /** Base URL, ending in /v1. */
  readonly url: string;
  readonly origin: string;
  readonly requests: readonly RecordedRequest[];
  /** Connections accepted so far. */
  readonly connections: number;
  setBehaviour(behaviour: Behaviour): void;
  setModelBehaviour(model: string, behaviour: Behaviour): void;
  enqueue(...behaviours: readonly Behaviour[]): void;
  close(): Promise<void>;
}

/** Starts the fake. `await using provider = await startFakeProvider()` also stops it. */
export async function startFakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const queue = [...(options.script ?? [])];
  const models = new Map(Object.entries(options.models ?? {}));
  const requests: RecordedRequest[] = [];
  let standing = options.behaviour ?? echo;
  let connections = 0;

  function choose(request: RecordedRequest): Behaviour {
    const scripted = queue.shift();
    if (scripted) return scripted;
    const byModel = models.get(String(request.body?.["model"] ?? request.headers["x-model-id"]));
    if (byModel) return byModel;
    return standing === echo && request.method === "GET" ? listOfModels(models.keys()) : standing;
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await record(incoming);
    requests.push(request);
    await choose(request)({ request, response });
  }

  const server = createServer((incoming, response) => {
    // A client that hangs up early, or a behaviour that breaks its own socket, is part of the game.
    response.on("error", () => {});
    answer(incoming, response).catch(() => response.destroy());
  });
  server.on("connection", () => (connections += 1));
  server.listen(options.port ?? 0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  return {
    url: `${origin}/v1`,
    origin,
    requests,
    get connections() {
      return connections;
    },
    setBehaviour: (behaviour) => (standing = behaviour),
    setModelBehaviour: (model, behaviour) => models.set(model, behaviour),
    enqueue: (...behaviours) => queue.push(...behaviours),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function record(incoming: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const { method = "", url: path = "", headers } = incoming;
  return { method, path, headers, text, body: parseObject(text) };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function listOfModels(names: Iterable<string>): Behaviour {
  const ids = [...names];
  const data = (ids.length > 0 ? ids : ["fake-model"]).map((id) => ({ id, object: "model" }));
  return ({ response }) => sendJson(response, 200, { object: "list", data });
}
