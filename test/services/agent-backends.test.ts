import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import type OpenAI from "openai";
import { expect, test, vi } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { serveThatEnds } from "../hardening/support/serve-process.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import type { Behaviour } from "../support/fake-provider/behaviour.ts";
import { text } from "../support/fake-provider/replies.ts";
import { toolCalls } from "../support/fake-provider/tool-calls.ts";
import { send } from "../support/http.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { runServices } from "../support/services.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const wanted = [
  { name: "book", arguments: {}, id: "call_1" },
  { name: "weather", arguments: {}, id: "call_2" },
];

/** Asks for a tool of ours and one of the client's, as long as it does not see that they were used. */
const bookingModel: Behaviour = (call) => {
  const messages = call.request.body?.["messages"] as { role: string; tool_call_id?: string }[];
  const done = new Set(messages.flatMap(({ role, tool_call_id }) => (role === "tool" ? tool_call_id : [])));
  const open = wanted.filter(({ id }) => !done.has(id));
  return (open.length > 0 ? toolCalls(...open) : text("Booked, and it is sunny."))(call);
};

/** A provider, a shop that takes bookings, and services that share one PostgreSQL and nothing else. */
async function world() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const shop = opened.use(await startFakeProvider({ behaviour: ({ response }) => void response.end("done") }));
  const provider = opened.use(await startFakeProvider({ behaviour: bookingModel }));
  const database = opened.use(await createTestDatabase());
  const book = { name: "book", description: "Books.", method: "POST", url: `${shop.origin}/bookings` };
  await writeFile(folder.file("tools.json"), JSON.stringify({ tools: [book] }));
  const environment = {
    HUB_BASE_URL: provider.url,
    AGENT_HTTP_TOOLS: folder.file("tools.json"),
    DATABASE_URL: database.url,
  };
  const keys = async (...parameters: readonly string[]) => {
    const ended = await runCli(["keys", ...parameters, "--json"], { cwd: folder.path, env: environment });
    expect(ended).toMatchObject({ code: 0 });
    return JSON.parse(ended.stdout) as Record<string, string>;
  };
  const parts = opened.move();
  return {
    shop,
    database,
    folder,
    keys,
    start: (...[more = {}, numbers]: Parameters<typeof runServices>) =>
      runServices({ ...environment, ...more }, numbers),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

const question = { role: "user", content: "Book, and tell me the weather." };

async function complete(agent: string, key: string, messages: readonly unknown[]) {
  const tools = [{ type: "function", function: { name: "weather" } }];
  const answer = await send(`${agent}/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: "hub/model", tools, messages },
  });
  return { status: answer.status, message: (answer.body as Partial<OpenAI.ChatCompletion>).choices?.[0]?.message };
}

test("two backends on one PostgreSQL share hand-overs and revoked keys", async () => {
  await using place = await world();
  const ada = await place.keys("create", "ada", "--scopes", "agent");
  expect(existsSync(place.folder.file(".rehearsal/keys.json"))).toBe(false);
  await using first = await place.start();
  await using second = await place.start();

  const { message: asked } = await complete(first.agent, ada["key"]!, [question]);
  expect(asked?.tool_calls).toMatchObject([{ function: { name: "weather" } }]);
  const result = { role: "tool", tool_call_id: asked?.tool_calls?.[0]?.id, content: "sunny" };
  const answered = await complete(second.agent, ada["key"]!, [question, asked, result]);
  expect(answered.message?.content).toBe("Booked, and it is sunny.");
  expect(place.shop.requests).toHaveLength(1);

  const bob = await place.keys("create", "bob", "--scopes", "agent");
  // More than ten refusals a minute would be taken for guessing.
  const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 30_000, interval: 700 });
  const status = async (agent: string, key: string) => (await complete(agent, key, [question, asked, result])).status;
  await eventually(async () =>
    expect([await status(first.agent, bob["key"]!), await status(second.agent, bob["key"]!)]).toEqual([200, 200]),
  );
  await place.keys("revoke", ada["id"]!);
  const revokedAt = performance.now();
  await eventually(async () =>
    expect([await status(first.agent, ada["key"]!), await status(second.agent, ada["key"]!)]).toEqual([401, 401]),
  );
  process.stdout.write(`revoked for both after ${Math.round(performance.now() - revokedAt)} ms\n`);
  expect(await status(second.agent, bob["key"]!)).toBe(200);
  expect((await place.keys("list"))["keys"]).toMatchObject([
    { owner: "ada", revoked_at: expect.any(String), last_used_at: expect.any(String) },
    { owner: "bob", revoked_at: null },
  ]);
});

test("a rate limit of a key holds for two backends together", async () => {
  await using place = await world();
  const keys: string[] = [];
  for (const name of ["ada", "bob", "eve"]) keys.push((await place.keys("create", name, "--scopes", "agent"))["key"]!);
  const limits = { rateLimits: { agent: 5 } };
  await using first = await place.start({}, limits);
  await using second = await place.start({}, limits);
  const sent = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? first : second).agent);
  const admitted: number[] = [];
  for (const key of keys) {
    const statuses = await Promise.all(sent.map(async (agent) => (await complete(agent, key, [question])).status));
    admitted.push(statuses.filter((status) => status === 200).length);
    expect(statuses.filter((status) => status === 429)).toHaveLength(sent.length - admitted.at(-1)!);
    if (admitted.at(-1)! <= 6) break;
    // A backend applies the limit alone while the database answers late, as on a busy machine, and asks it again later.
    await setTimeout(2_500);
  }
  // A use fades in the minute after its own, so a sixth may be admitted.
  expect(admitted.at(-1)).toBeOneOf([5, 6]);
});

/** A proxy between a service and PostgreSQL that can cut the connection. */
async function startProxy(target: URL) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => {}));
    if (isCut) for (const socket of [client, upstream]) socket.destroy();
    else client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: Object.assign(new URL(target), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` }).href,
    cut,
    restore: () => void (isCut = false),
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("while PostgreSQL is unreachable known keys are accepted, and revoked ones end when it is back", async () => {
  await using place = await world();
  const ada = await place.keys("create", "ada", "--scopes", "agent");
  await using proxy = await startProxy(new URL(place.database.url));
  await using backend = await place.start({ DATABASE_URL: proxy.url });
  const ask = async (key: string) =>
    (
      await send(`${backend.agent}/`, {
        headers: { authorization: `Bearer ${key}`, "x-model-id": "hub/model", "x-agent-tools": "none" },
        body: { messages: [{ type: "human", content: "Hi" }] },
      })
    ).status;
  const ready = async () => (await send(`${backend.agent}/readyz`)).body as { status: string; detail?: string };
  expect([await ask(ada["key"]!), await ready()]).toEqual([200, { status: "ok" }]);
  proxy.cut();
  await place.keys("revoke", ada["id"]!);
  await vi.waitFor(async () => expect((await ready()).detail).toContain("The store is unavailable"), 30_000);
  expect([await ask(ada["key"]!), await ask(`${ada["key"]}x`)]).toEqual([200, 401]);
  proxy.restore();
  await vi.waitFor(async () => expect(await ask(ada["key"]!)).toBe(401), { timeout: 30_000, interval: 700 });
});

test("a service that is reachable from outside needs a key, in a file or in the database", async () => {
  await using place = await world();
  const exposed = { DATABASE_URL: place.database.url, REHEARSAL_HOST: "0.0.0.0", LOG_LEVEL: "silent" };
  expect(await serveThatEnds(exposed, place.folder.path)).toMatchObject({
    code: 78,
    stderr: expect.stringContaining("no API keys are set"),
  });
  await place.keys("create", "ada");
  expect(await serveThatEnds(exposed, place.folder.path)).toMatchObject({ code: null });
});
