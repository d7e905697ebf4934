import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Secret } from "../../base/secret.ts";
import type { ChatMessage } from "../../contract/ports/chat-model.ts";
import type { Target } from "../../contract/schemas/acting/target.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { runAttempt } from "../../evaluation/attempts/run-attempt.ts";
import { startSocketServer } from "../../../test/support/socket-server.ts";
import { createOutbound } from "../outbound/create-outbound.ts";
import type { OutboundOptions } from "../outbound/outbound-options.ts";
import { createChatModel } from "../protocols/create-chat-model.ts";
import type { SecretOfCommand } from "./target-chat.ts";
import { targetProblems } from "./template.ts";

const scenario: Scenario = {
  id: "s",
  interactions: ["Hello", "And then?", "Thanks"].map((user_message, index) => ({
    id: String(index + 1),
    user_message,
    reference_reply: "",
  })),
} as unknown as Scenario;

interface RunOptions {
  readonly secretOfCommand?: SecretOfCommand;
  readonly outbound?: OutboundOptions;
  readonly attempts?: number;
}

/** The replies of an attempt with a target, the first of several that run at once, and the errors of what came after. */
async function run(target: Target, { secretOfCommand, outbound: settings, attempts = 1 }: RunOptions = {}) {
  await using outbound = createOutbound({ retry: { maximum: 0 }, ...settings });
  const model = createChatModel({
    outbound,
    protocol: target.protocol ?? "http",
    endpoint: target.url,
    modelId: "m",
    target,
    secretOfCommand,
  });
  const endErrors: string[] = [];
  const { signal } = new AbortController();
  const outcomes = await Promise.all(
    Array.from({ length: attempts }, () =>
      runAttempt({
        scenario,
        model,
        onFailure: "stop",
        signal,
        onReply: async () => {},
        onEndError: (error) => endErrors.push((error as Error).message),
        sessionId: crypto.randomUUID(),
      }),
    ),
  );
  const replies = outcomes.map((outcome) => [...outcome.replies.values()]);
  const said = replies.map((list) => list.map(({ agent_reply, error }) => error?.detail ?? agent_reply));
  return { replies: replies[0] ?? [], said, endErrors };
}

type Body = Record<string, string>;
type Answer = readonly [number, unknown, Record<string, string | string[]>?];

const heard: { path: string; method: string; headers: IncomingMessage["headers"]; body: Body }[] = [];
let answer: (call: (typeof heard)[number]) => Answer;
const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
  const text = (await Array.fromAsync(request)).join("");
  const { url: path = "", method = "", headers } = request;
  const call = { path, method, headers, body: text === "" ? {} : (JSON.parse(text) as Body) };
  heard.push(call);
  const [status, body, extra = {}] = answer(call);
  response.writeHead(status, { "content-type": "application/json", ...extra }).end(JSON.stringify(body));
});
const at = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());

/** Remembers the turns of each conversation that was begun, as an agent with sessions does. */
function sessionAgent() {
  heard.length = 0;
  const turns = new Map<string, number>();
  answer = ({ path, method, body }) => {
    if (path === "/sessions" && method === "POST") {
      const id = `s/${turns.size + 1}`;
      turns.set(id, 0);
      return [201, { id, said: "Welcome!" }, { "x-csrf": "c-1" }];
    }
    const id = decodeURIComponent(path.replace("/sessions/", ""));
    if (method === "DELETE") return turns.delete(id) ? [200, {}] : [404, "no such session"];
    const count = turns.get(body["session"] ?? "");
    if (count === undefined) return [404, { error: "Session not found" }];
    turns.set(body["session"] ?? "", count + 1);
    return [200, { text: `turn ${count + 1}`, last: body["message"] }];
  };
  return turns;
}

const withSessions = (): Target => ({
  url: `${at()}/say`,
  before: [{ url: "/sessions", body: {}, capture: { sid: "/id", csrf: { header: "X-CSRF" } } }],
  after: [{ url: "/sessions/{{sid}}", method: "DELETE" }],
  headers: { "x-csrf": "{{csrf}}" },
  body: { session: "{{sid}}", message: "{{message}}" },
  reply: "/text",
});

test("each attempt has requests before and after its turns, whose answers fill its own placeholders", async () => {
  const open = sessionAgent();
  const { said, endErrors } = await run(withSessions(), { attempts: 3 });
  expect(said).toEqual(Array.from({ length: 3 }, () => ["turn 1", "turn 2", "turn 3"]));
  expect(open.size).toBe(0);
  expect(endErrors).toEqual([]);
  expect(heard.filter(({ path }) => path === "/say").every(({ headers }) => headers["x-csrf"] === "c-1")).toBe(true);
});

test("a request around the turns that fails says which one it was and why", async () => {
  sessionAgent();
  const { said } = await run({
    ...withSessions(),
    before: [{ url: "/sessions", capture: { sid: "/id", csrf: "/id" } }],
  });
  expect(said[0]?.[0]).toMatch(/^The request before\/0 failed: HTTP 404/);
  const missing = {
    ...withSessions(),
    before: [{ url: "/sessions", body: {}, capture: { sid: "/name", csrf: "/id" } }],
  };
  expect((await run(missing)).said[0]?.[0]).toMatch(/answer to before\/0 has nothing at \/name/);
  const { said: three, endErrors } = await run({
    ...withSessions(),
    after: [{ url: "/sessions/unknown", method: "DELETE" }],
  });
  expect(three[0]).toHaveLength(3);
  expect(endErrors).toEqual([expect.stringMatching(/^The request after\/0 failed: HTTP 404/)]);
});

test("an agent that speaks first has its greeting in the first turn only", async () => {
  sessionAgent();
  const target = withSessions();
  const before = [{ url: "/sessions", body: {}, capture: { sid: "/id", csrf: "/id", greeting: "/said" } }];
  const { replies } = await run({ ...target, before });
  expect(replies.map(({ greeting }) => greeting)).toEqual(["Welcome!", undefined, undefined]);
});

test("an attempt that another process began begins again: its messages are asked once more", async () => {
  sessionAgent();
  await using outbound = createOutbound();
  const model = createChatModel({ outbound, protocol: "http", endpoint: at(), modelId: "m", target: withSessions() });
  const user = (content: string): ChatMessage => ({ role: "user", content });
  const messages = [user("Hello"), { role: "assistant" as const, content: "turn 1" }, user("And then?")];
  const end = new AbortController().signal;
  const { signal } = new AbortController();
  const reply = await model(
    { messages },
    { signal, session: { id: "x" }, progress: { turns: 1, end, onEnd: () => {} } },
  );
  expect(reply).toMatchObject({ ok: true, text: "turn 2" });
  expect(heard.map(({ body }) => body["message"])).toEqual([undefined, "Hello", "And then?"]);
});

test("a job is polled until it is done, and a job that fails or takes too long is a failed turn", async () => {
  let polls = 0;
  heard.length = 0;
  answer = ({ path, method }) => {
    if (method === "POST") return [202, { job: "j 1" }];
    polls += 1;
    return [200, path === "/jobs/j%201" && polls % 2 === 0 ? { status: "done", text: "ready" } : { status: "working" }];
  };
  const poll = { url: "/jobs/{{job}}", until: { at: "/status", is: ["done"] }, every: 0.05, timeout: 5 };
  const target: Target = {
    url: `${at()}/jobs`,
    body: { say: "{{message}}" },
    capture: { job: "/job" },
    poll,
    reply: "/text",
  };
  expect((await run(target)).said[0]).toEqual(["ready", "ready", "ready"]);
  const late = await run({ ...target, poll: { ...poll, until: "/never", timeout: 0.2 } });
  expect(late.replies[0]?.error).toMatchObject({ code: "upstream_timeout" });
  const failed = await run({ ...target, poll: { ...poll, until: "/never", fail: { at: "/status", is: "working" } } });
  expect(failed.replies[0]?.error).toMatchObject({
    code: "upstream_error",
    detail: "The poll says that the agent failed.",
  });
});

test("several messages that are polled one by one are one reply", async () => {
  const waiting: string[] = [];
  answer = ({ method, body }) => {
    if (method === "POST") return [202, waiting.push(`One moment, ${body["say"]}`, "Here it is.")];
    const next = waiting.shift();
    return [200, { messages: next === undefined ? [] : [{ text: next }] }];
  };
  const poll = { url: "/messages", quiet: 0.3, every: 0.05 };
  const { said } = await run({ url: `${at()}/say`, body: { say: "{{message}}" }, poll, reply: "/messages/*/text" });
  expect(said[0]?.[0]).toBe("One moment, Hello\n\nHere it is.");
});

test("cookies come back to the target for each attempt alone, as their attributes say", async () => {
  let jars = 0;
  heard.length = 0;
  answer = ({ headers }) => {
    const id = /sid=(\d+)/.exec(headers.cookie ?? "")?.[1];
    if (id !== undefined) return [200, { text: `known ${id}` }, { "set-cookie": "gone=1; Max-Age=0" }];
    jars += 1;
    return [
      200,
      { text: `new ${jars}` },
      { "set-cookie": [`sid=${jars}; Path=/; HttpOnly`, "other=1; Path=/admin", "tls=1; Secure; Path=/"] },
    ];
  };
  const target: Target = { url: `${at()}/say`, cookies: true, body: { say: "{{message}}" }, reply: "/text" };
  const { said } = await run(target, { attempts: 2 });
  expect(said.map((list) => list.join()).toSorted()).toEqual(["new 1,known 1,known 1", "new 2,known 2,known 2"]);
  expect(heard.flatMap(({ headers }) => headers.cookie ?? [])).not.toContainEqual(
    expect.stringMatching(/other|tls|gone/),
  );
  await run({ ...target, cookies: false });
  expect(jars).toBe(5);
});

test("a token of a command is sent, made again when it is refused, and removed from what the agent says", async () => {
  const made: Secret[] = [];
  const secretOfCommand: SecretOfCommand = async ({ command }, { refresh } = {}) => {
    if (command === "broken") throw new Error("the command failed: no login");
    if (made.length === 0 || refresh !== undefined) made.push(new Secret(`token-number-${made.length + 1}`));
    return made.at(-1) as Secret;
  };
  let turns = 0;
  answer = ({ headers }) => {
    turns += 1;
    const isOver = turns > 1 && headers.authorization === "Bearer token-number-1";
    return isOver ? [401, {}] : [200, { text: `You sent ${headers.authorization}` }];
  };
  const authorization = { command: "print-token", prefix: "Bearer " };
  const target: Target = {
    url: `${at()}/say`,
    headers: { authorization },
    body: { say: "{{message}}" },
    reply: "/text",
  };
  expect((await run(target, { secretOfCommand })).said[0]?.slice(0, 2)).toEqual([
    "You sent Bearer [redacted]",
    "You sent Bearer [redacted]",
  ]);
  expect(made).toHaveLength(2);
  const broken = { ...target, headers: { authorization: { command: "broken" } } };
  expect((await run(broken, { secretOfCommand })).said[0]?.[0]).toMatch(
    /authorization has no value: the command failed: no login/,
  );
  expect((await run(target)).said[0]?.[0]).toMatch(/only for targets of the operator/);
});

test("an agent behind a WebSocket has one for each attempt, may speak first, and sends several messages in a turn", async () => {
  const turns = new Map<unknown, number>();
  await using agent = await startSocketServer(
    (socket) => {
      socket.send(JSON.stringify({ type: "status", text: "connecting" }));
      socket.send(JSON.stringify({ type: "say", text: "Welcome!" }));
      socket.send(JSON.stringify({ type: "end" }));
    },
    (text, socket) => {
      const turn = (turns.get(socket) ?? 0) + 1;
      turns.set(socket, turn);
      socket.send(JSON.stringify({ type: "say", text: `turn ${turn}` }));
      socket.send(JSON.stringify({ type: "call", call: { id: `c${turn}`, name: "find", args: {}, result: 7 } }));
      socket.send(JSON.stringify({ type: "say", text: `You said ${JSON.parse(text).say}` }));
      socket.send(JSON.stringify({ type: "end" }));
    },
  );
  const target: Target = {
    url: `${agent.url}/chat?model={{model}}`,
    headers: { "x-tenant": "t" },
    body: { say: "{{message}}" },
    reply: "/text",
    tool_calls: "/call",
    socket: { greeting: true, until: { at: "/type", is: "end" }, only: { at: "/type", is: ["say", "call"] } },
  };
  expect(targetProblems(target)).toEqual([]);
  const { said, replies } = await run(target, { attempts: 2 });
  expect(said[0]).toEqual(["turn 1\n\nYou said Hello", "turn 2\n\nYou said And then?", "turn 3\n\nYou said Thanks"]);
  expect(replies[0]).toMatchObject({ greeting: "Welcome!", tool_calls: [{ id: "c1", name: "find", result: 7 }] });
  expect(agent.sockets).toHaveLength(2);
  expect(agent.sockets[0]?.request).toMatchObject({ url: "/chat?model=m", headers: { "x-tenant": "t" } });
});

test("a WebSocket that is refused, closed or silent is a failed turn with its reason, and obeys the endpoint policy", async () => {
  await using agent = await startSocketServer(
    () => {},
    (text, socket) => {
      if (text === "Hello") socket.close();
    },
  );
  const target: Target = {
    url: agent.url,
    headers: { "content-type": "text/plain" },
    body: "{{message}}",
    socket: { timeout: 0.3 },
  };
  expect((await run(target)).said[0]?.[0]).toBe("The agent closed the WebSocket (code 1000).");
  expect((await run({ ...target, body: "x{{message}}" })).said[0]?.[0]).toBe(
    "No message of the agent came within 0.3 s.",
  );
  expect((await run({ ...target, url: at().replace("http", "ws") })).said[0]?.[0]).toMatch(/opens no WebSocket at \//);
  const refused = await run(target, { outbound: { policy: "public" } });
  expect(refused.replies[0]?.error).toMatchObject({ code: "endpoint_address_refused" });
  const named = await run(
    { ...target, url: agent.url.replace("127.0.0.1", "localhost") },
    { outbound: { policy: "public" } },
  );
  expect(named.replies[0]?.error).toMatchObject({ code: "endpoint_address_refused" });
});

test.each<[string, Partial<Target>, string]>([
  ["a placeholder of turns in before", { before: [{ url: "/x?q={{message}}" }] }, "/before/0/url"],
  [
    "a capture that is used too early",
    { before: [{ url: "/{{id}}" }, { url: "/y", capture: { id: "/id" } }] },
    "/before/0/url",
  ],
  ["a placeholder in an origin", { after: [{ url: "http://{{session_id}}.test/" }] }, "/after/0/url"],
  [
    "a secret in a request around the turns",
    { before: [{ url: "/x", headers: { authorization: "Bearer abc" } }] },
    "/before/0/headers/authorization",
  ],
  ["a poll without an end", { poll: { url: "/x" } }, "/poll/until"],
  ["a socket with an http address", { socket: {} }, "/socket"],
  ["a WebSocket that is polled", { url: "ws://a.test", poll: { url: "/x", until: "" } }, "/poll"],
  ["a capture in the place of a variable", { capture: { message: "/m" } }, ""],
  ["more placeholders than any agent needs", { body: Array.from({ length: 201 }, () => "{{message}}") }, "/body"],
  ["another protocol with a poll", { protocol: "ag-ui", poll: { url: "/x", until: "" } }, "/poll"],
])("refuses %s", (_, fields, pointer) => {
  const target = { url: "http://a.test/", ...(fields.protocol ? {} : { body: { m: "{{message}}" } }), ...fields };
  expect(targetProblems(target).map((problem) => problem.pointer)).toContain(pointer);
});
