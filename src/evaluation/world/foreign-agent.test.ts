import { expect, test } from "vitest";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { worldEntries, type JournalEntry } from "../../contract/ports/journal.ts";
import type { ServedWorld } from "../../contract/ports/world-endpoints.ts";
import type { World } from "../../contract/schemas/acting/world.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { createProbes } from "../tools/probes.ts";
import { ForeignWorld } from "./foreign-agent.ts";
import { WorldLimitError } from "./limits.ts";
import { prepareWorld } from "./world.ts";

const definition: World = {
  state: { log: [] },
  tools: [
    {
      name: "write",
      description: "",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      answers: [{ set: { "/log/-": { $argument: "text" } }, result: { $state: "/log" } }],
    },
  ],
};
const { signal } = new AbortController();

function openWorld({ url = "http://world", mostEntries = Infinity } = {}) {
  const journal: JournalEntry[] = [];
  const opened: ServedWorld[] = [];
  let closed = 0;
  const requests = { answered: 0, refused: 0 };
  const world = new ForeignWorld(prepareWorld(definition, { probes: createProbes() }), async (served) => {
    opened.push(served);
    return { url, requests: () => ({ ...requests }), close: () => void (closed += 1) };
  });
  const write = async (text: string) => opened[0]?.call("write", { text }, signal);
  const run = (model: ChatModel, entries: readonly JournalEntry[] = []) =>
    world.run({
      model,
      messages: [{ role: "user", content: "Hi" }],
      entries: worldEntries(entries),
      append: async (added) => {
        if (journal.length >= mostEntries) throw new WorldLimitError("no more");
        journal.push(...added);
      },
      signal,
    });
  return { world, journal, write, run, requests, closed: () => closed };
}

test("concurrent calls are answered one after the other, each stored before its result is given", async () => {
  const { journal, write, run } = openWorld();
  const reply = await run(async (_request, { session }) => {
    expect(session?.world_url).toBe("http://world");
    const answers = await Promise.all([write("a"), write("b")]);
    expect(answers.map((answer) => answer?.text)).toEqual(['["a"]', '["a","b"]']);
    expect(journal).toHaveLength(2);
    return sampleReply("Done.", { reported_calls: [{ id: "x", name: "own_tool", arguments: "{}" }] });
  });
  expect(reply.tool_calls?.map(({ name }) => name)).toEqual(["write", "write", "own_tool"]);
});

test("a call while no turn is under way is refused, and counted with the next turn", async () => {
  const { write, run, world, closed } = openWorld();
  await run(async () => sampleReply("One."));
  expect(await write("late")).toBeNull();
  const reply = await run(async () => {
    expect((await write("a"))?.text).toBe('["a"]');
    return sampleReply("Two.");
  });
  expect(reply).toMatchObject({ refused_calls: 1, agent_reply: "Two." });
  await world.close();
  expect(closed()).toBe(1);
});

test("the calls of an interrupted turn are discarded, and those of finished turns stay", async () => {
  const before = openWorld();
  await before.run(async () => {
    await before.write("first");
    return sampleReply("One.");
  });
  const [finished] = before.journal;
  const interrupted: JournalEntry[] = [{ ...finished } as JournalEntry];

  const after = openWorld();
  after.world.restore(worldEntries([finished as JournalEntry]));
  await after.run(async () => {
    expect((await after.write("second"))?.text).toBe('["first","second"]');
    return sampleReply("Two.");
  }, interrupted);
  expect(after.journal.map(({ type }) => type)).toEqual(["discard", "call"]);
  expect(worldEntries([...interrupted, ...after.journal])).toHaveLength(1);
});

test("a try that failed leaves nothing behind", async () => {
  const { journal, write, run } = openWorld();
  let tries = 0;
  const reply = await run(async () => {
    tries += 1;
    await write(`try ${tries}`);
    const error = { code: "upstream_error", detail: "", upstream_status: 503, tries: 1, retryable: true } as const;
    return tries === 1 ? { ok: false, error, latency_ms: 1 } : sampleReply("Done.");
  });
  expect(reply.tool_calls?.map(({ result }) => result)).toEqual([["try 2"]]);
  expect(worldEntries(journal)).toHaveLength(1);
});

test("the address of the world is in nothing that is stored or passed on", async () => {
  const token = "TTpG7EsKATxUdj0Hc85hWIyd6z_bOUjGm0NwmoUpDTU";
  const url = `http://127.0.0.1:9/worlds/${token}/mcp`;
  const { world, journal, write } = openWorld({ url });
  const heard: string[] = [];
  const encoded = Buffer.from(url).toString("base64");
  const said = `I called ${url}, which is ${encoded} or ${token}.`;
  const append = async (added: readonly JournalEntry[]) => void journal.push(...added);
  const reply = await world.run({
    model: async (_request, { session, onText }) => {
      expect(session?.world_url).toBe(url);
      expect((await write(`to ${token}`))?.text).toBe('["to [redacted]"]');
      for (const piece of said.match(/.{1,5}/g) ?? []) onText?.(piece);
      return sampleReply(said, { reported_calls: [{ id: "x", name: "fetch", arguments: JSON.stringify({ url }) }] });
    },
    messages: [],
    entries: [],
    append,
    onText: (text) => heard.push(text),
    signal,
  });
  expect(heard.join("")).toBe(reply.agent_reply);
  for (const part of [token, encoded.slice(40, 80)])
    expect(JSON.stringify([reply, journal, heard])).not.toContain(part);
  expect(reply.tool_calls?.at(-1)).toMatchObject({ arguments: { url: "http://127.0.0.1:9/worlds/[redacted]/mcp" } });
});

test("an agent whose every request to its world was refused has errored; one that got through has answered", async () => {
  const { run, requests } = openWorld();
  const refused = await run(async () => {
    requests.refused += 2;
    return sampleReply("I could not do it.");
  });
  expect(refused.error).toMatchObject({ code: "upstream_rejected", retryable: false });
  expect(refused.error?.detail).toContain("all its 2 requests there were refused");
  const answered = await run(async () => {
    requests.refused += 1;
    requests.answered += 1;
    return sampleReply("Done.");
  });
  expect(answered.error).toBeNull();
});

test("calls beyond the limit of a turn are refused, and the last of them not even recorded", async () => {
  const { journal, write, run } = openWorld();
  let last: string | undefined;
  const reply = await run(async () => {
    for (let made = 0; made < 10_050; made += 1) last = (await write(""))?.text;
    return sampleReply("Done.");
  });
  expect(last).toBe("Error: Not called: a turn has at most 1000 tool calls.");
  expect([reply.tool_calls?.length, journal.length]).toEqual([10_000, 10_000]);
});

test("a step that passes a limit fails the turn, whatever the agent replies, and nothing more is stored", async () => {
  const { world, journal, write, run } = openWorld({ mostEntries: 2 });
  const answers: (string | undefined)[] = [];
  const reply = await run(async () => {
    for (const text of ["a", "b", "c", "d"]) answers.push((await write(text))?.text);
    return sampleReply("Done.");
  });
  expect(answers).toEqual(['["a"]', '["a","b"]', "Error: no more", "Error: no more"]);
  expect(reply).toMatchObject({ agent_reply: "Request failed", error: { code: "world_limit", detail: "no more" } });
  expect([reply.tool_calls?.length, journal.length]).toEqual([2, 2]);
  expect(world.state.value).toEqual({ log: ["a", "b"] });
});
