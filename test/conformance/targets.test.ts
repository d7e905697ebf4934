import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { Secret } from "../../src/base/secret.ts";
import type { Protocol } from "../../src/contract/schemas/evaluation-request.ts";
import type { LocalTarget, Target } from "../../src/contract/schemas/acting/target.ts";
import { createChatModel } from "../../src/models/protocols/create-chat-model.ts";
import { createCodeHost } from "../../src/runs/user-code/code-host.ts";
import { createLocalTargets } from "../../src/runs/user-code/local-targets.ts";
import { agentReply, describeTarget, secret, type TargetKind } from "./target-suite.ts";

interface Wire {
  readonly path: string;
  /** The path of its address, where the protocol adds to it. */
  readonly base?: string;
  readonly protocol: Protocol;
  readonly target?: Omit<Target, "url">;
  /** The texts of the user in a request, and the session of an agent that keeps the conversation. */
  readonly read: (body: Sent) => { texts: readonly string[]; session?: string };
  readonly write: (text: string, session: string) => unknown;
}

interface SentMessage {
  readonly role?: string;
  readonly type?: string;
  readonly content?: string | readonly { readonly text: string }[];
  readonly parts?: readonly { readonly text: string }[];
}

/** The fields that the protocols send. */
interface Sent {
  readonly messages: readonly SentMessage[];
  readonly input: readonly SentMessage[] & { readonly messages: readonly SentMessage[] };
  readonly turns: readonly SentMessage[];
  readonly say: string;
  readonly id?: string;
  readonly method: string;
  readonly params: {
    readonly message: { readonly parts: readonly [{ readonly text: string }]; readonly contextId?: string };
  };
}

const textOf = ({ content, parts = [] }: SentMessage): string =>
  typeof content === "string" ? content : ((content ?? parts)[0]?.text ?? "");
const texts = (messages: readonly SentMessage[]): string[] =>
  messages.filter(({ role, type }) => role === "user" || type === "human").map(textOf);
const headers = { "x-key": { env: "TARGET_KEY" } };

const wires: Readonly<Record<string, Wire>> = {
  "openai-chat": {
    path: "/v1/chat/completions",
    protocol: "openai-chat",
    read: ({ messages }) => ({ texts: texts(messages) }),
    write: (text) => ({ choices: [{ message: { role: "assistant", content: text }, finish_reason: "stop" }] }),
  },
  "openai-responses": {
    path: "/v1/responses",
    protocol: "openai-responses",
    read: ({ input }) => ({ texts: texts(input) }),
    write: (text) => ({ status: "completed", output: [{ type: "message", content: [{ type: "output_text", text }] }] }),
  },
  "anthropic-messages": {
    path: "/v1/messages",
    protocol: "anthropic-messages",
    read: ({ messages }) => ({ texts: texts(messages) }),
    write: (text) => ({ role: "assistant", content: [{ type: "text", text }], stop_reason: "end_turn" }),
  },
  agent: {
    path: "/",
    protocol: "agent",
    read: ({ messages }) => ({ texts: texts(messages) }),
    write: (content) => ({ type: "ai", content }),
  },
  "http, with the conversation": {
    path: "/chat",
    protocol: "http",
    target: { headers, body: { turns: "{{messages}}" }, reply: "/out/0/text" },
    read: ({ turns }) => ({ texts: texts(turns) }),
    write: (text) => ({ out: [{ text }] }),
  },
  "http, with our session": {
    path: "/session",
    protocol: "http",
    target: { headers, body: { say: "{{message}}", id: "{{session_id}}" }, reply: "/reply" },
    read: ({ say, id }) => ({ texts: [say], ...(id !== undefined && { session: id }) }),
    write: (reply) => ({ reply }),
  },
  "http, with its session": {
    path: "/issued",
    protocol: "http",
    target: { headers, body: { say: "{{message}}", id: "{{session_id}}" }, reply: "/reply", session: "/conversation" },
    read: ({ say, id }) => ({ texts: [say], session: id ?? crypto.randomUUID() }),
    write: (reply, conversation) => ({ reply, conversation }),
  },
  "ag-ui": {
    path: "/ag-ui",
    protocol: "ag-ui",
    target: { protocol: "ag-ui", headers },
    read: ({ messages }) => ({ texts: texts(messages) }),
    write: (delta) =>
      [
        { type: "RUN_STARTED" },
        { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
        { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta },
        { type: "TEXT_MESSAGE_END", messageId: "m" },
        { type: "RUN_FINISHED" },
      ]
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join(""),
  },
  "ui-messages": {
    path: "/ui-messages",
    protocol: "ui-messages",
    target: { protocol: "ui-messages", headers },
    read: ({ messages }) => ({ texts: texts(messages) }),
    write: (delta) =>
      [
        { type: "start" },
        { type: "text-start", id: "0" },
        { type: "text-delta", id: "0", delta },
        { type: "text-end", id: "0" },
        { type: "finish" },
      ]
        .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
        .concat("data: [DONE]\n\n")
        .join(""),
  },
  "langgraph, stateless": {
    path: "/runs/wait",
    base: "",
    protocol: "langgraph",
    target: { protocol: "langgraph", assistant: "desk", stateless: true, headers },
    read: ({ input: { messages } }) => ({ texts: texts(messages) }),
    write: (content) => ({ messages: [{ type: "ai", content }] }),
  },
  "a2a 1.0": {
    path: "/a2a",
    protocol: "a2a",
    target: { protocol: "a2a", headers },
    read: ({ method, params }) => {
      if (method !== "SendMessage") throw new Error("method");
      return { texts: [params.message.parts[0].text], session: params.message.contextId ?? crypto.randomUUID() };
    },
    write: (text, contextId) => ({
      jsonrpc: "2.0",
      result: {
        task: { id: "t", contextId, status: { state: "TASK_STATE_COMPLETED" }, artifacts: [{ parts: [{ text }] }] },
      },
    }),
  },
  "a2a 0.3": {
    path: "/a2a-old",
    protocol: "a2a",
    target: { protocol: "a2a", headers },
    read: ({ method, params }) => {
      if (method !== "message/send") throw new Error("method");
      return { texts: [params.message.parts[0].text], session: params.message.contextId ?? crypto.randomUUID() };
    },
    write: (text, contextId) => ({
      jsonrpc: "2.0",
      result: { kind: "message", role: "agent", contextId, parts: [{ kind: "text", text }] },
    }),
  },
};

const server = createServer(answer);
const heard = new Map<string, number>();
const count = (key: string): number => {
  const number = (heard.get(key) ?? 0) + 1;
  heard.set(key, number);
  return number;
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const wire = Object.values(wires).find(({ path }) => path === request.url);
  const body = JSON.parse((await Array.fromAsync(request)).join("")) as Sent;
  const send = (status: number, content: unknown): void => {
    const isText = typeof content === "string" && content.startsWith("data:");
    response.writeHead(status, { "content-type": isText ? "text/event-stream" : "application/json" });
    response.end(isText ? content : JSON.stringify(content));
  };
  if (!wire) return send(404, {});
  if (wire.target && request.headers["x-key"] !== secret) return send(401, {});
  let asked;
  try {
    asked = wire.read(body);
  } catch {
    return send(200, { jsonrpc: "2.0", error: { code: -32601, message: "Method not found" } });
  }
  const { session = "" } = asked;
  const text = asked.texts.at(-1) ?? "";
  const turns = session === "" ? asked.texts.length : count(session);
  const { traceparent = "none", baggage = "none" } = request.headers;
  const reply = agentReply(text, {
    turns,
    calls: count(`${wire.path} ${text}`),
    trace: `${String(traceparent)} ${String(baggage)}`,
  });
  if (reply === "hang") return;
  if (reply === "busy") return send(429, { error: "busy" });
  if (reply === "refused") return send(422, { error: "words of the agent" });
  if (reply === "malformed") return send(200, { nothing: true });
  send(200, wire.write(reply.text, session));
}

const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
afterAll(() => server.closeAllConnections());
afterAll(() => void server.close());

for (const [name, { path, base = path, protocol, target }] of Object.entries(wires)) {
  describe(`the protocol ${name}`, () => {
    describeTarget({
      name,
      isHttp: true,
      hasHeaders: target !== undefined,
      modelOf(outbound, elsewhere) {
        const url = elsewhere ?? `${address()}${base}`;
        return createChatModel({
          outbound,
          protocol,
          endpoint: url,
          modelId: "m",
          target: target && { ...target, url },
          secretOf: () => new Secret(secret),
        });
      },
    });
  });
}

const agentSource = `
let calls = 0;
export function act(messages, { traceparent = "none", baggage = "none" }) {
  const texts = messages.filter(({ role }) => role === "user").map(({ content }) => content);
  const text = texts.at(-1);
  if (text === "hang") return new Promise(() => setInterval(() => {}, 1000));
  if (text === "refuse") throw new Error("refused");
  if (text === "malformed") return { nothing: true };
  if (text === "trace") return traceparent + " " + baggage;
  if (text === "count") return "turn " + texts.length;
  return "You said " + text;
}
`;

/** The process that hears "busy once" for the first time crashes. */
const crash = `
import { existsSync, writeFileSync } from "node:fs";
const file = new URL("crashed", import.meta.url);
export const reply = (messages, options) => {
  if (messages.at(-1).content !== "busy once") return act(messages, options);
  if (existsSync(file)) return "recovered";
  writeFileSync(file, "");
  process.exit(7);
};
`;

const lines = `
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  try {
    const result = method === "start" ? null : await reply(params.messages, params);
    console.log(JSON.stringify({ id, result }));
  } catch (error) {
    console.log(JSON.stringify({ id, error: { message: error.message } }));
  }
}
`;

describe.for([
  ["module", "agent.mjs", (file: string): LocalTarget => ({ module: file })],
  ["command", "program.mjs", (file: string): LocalTarget => ({ command: `'${process.execPath}' '${file}'` })],
] as const)("%s", ([name, file, targetOf]) => {
  let folder = "";
  const limits = { timeoutMs: 20_000, memoryMb: 512, processes: 2 };
  const host = createCodeHost({ limits });
  const targets = createLocalTargets({
    host,
    limits,
    retry: { maximum: 3, baseMs: 1 },
    environment: { PATH: process.env["PATH"] ?? "" },
    variable: () => undefined,
    scrub: (text) => text,
    secrets: [new Secret(secret)],
  });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "target-"));
    await writeFile(join(folder, "agent.mjs"), agentSource + crash);
    await writeFile(join(folder, "program.mjs"), agentSource + crash + lines);
  });
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  const kind: TargetKind = {
    name,
    isHttp: false,
    hasHeaders: true,
    modelOf: () => (request, options) => targets.modelOf(targetOf(join(folder, file)), "m")(request, options),
  };
  describeTarget(kind);
});
