import { expect, test } from "vitest";
import { asksFor, failsWith, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import type { AgentMemory, AgentTurnResult } from "../../src/contract/ports/agent-memory.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { openSqlite, type SqliteOptions } from "../../src/storage/drivers/open-sqlite.ts";
import { send } from "../support/test-shell.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { human, mailTool, post, readEvents, runAgentApp, scripted } from "./agent-support.ts";

const key = { "idempotency-key": "key-1" };

test("the same key and body get the same answer, without another call", async () => {
  const { models, model } = scripted("First", "Second");
  await using agent = await runAgentApp(models);
  const first = await post(agent.url, human("Hi"), key);
  const second = await post(agent.url, human("Hi"), key);
  expect(await second.json()).toEqual(await first.json());
  expect(second.headers.get("idempotent-replayed")).toBe("true");
  expect(second.headers.get("x-run-id")).toBe(first.headers.get("x-run-id"));
  expect(model.requests).toHaveLength(1);

  const events = await readEvents(await post(agent.url, human("Hi"), { ...key, accept: "text/event-stream" }));
  expect(events.map(({ event }) => event)).toEqual(["run-start", "text-delta", "run-end"]);
  expect(events.at(-1)?.data).toMatchObject({ message: { content: "First" } });
  expect(model.requests).toHaveLength(1);
});

test("requests at the same time share one run, whatever the wire", async () => {
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow: ScriptedTurn = async () => {
    asked.resolve();
    await release.promise;
    return "Once";
  };
  const { models, model } = scripted(slow);
  await using agent = await runAgentApp(models);
  const first = post(agent.url, human("Hi"), key);
  await asked.promise;
  const attached = await post(agent.url, human("Hi"), { ...key, accept: "text/event-stream" });
  expect(attached.headers.get("idempotent-replayed")).toBe("true");
  release.resolve();
  const reply = await (await first).json();
  const events = await readEvents(attached);
  expect(events.at(-1)?.data["message"]).toEqual(reply);
  expect(model.requests).toHaveLength(1);
});

test("another body, or another model, under the same key is refused", async () => {
  await using agent = await runAgentApp({ ...scripted("Hi").models, "other/model": scripted("Hi").model });
  await post(agent.url, human("Hi"), key);
  for (const response of [
    await post(agent.url, human("Bye"), key),
    await post(agent.url, human("Hi"), { ...key, "x-model-id": "other/model" }),
  ]) {
    expect(response.status).toBe(422);
    expect(Problem.parse(await response.json())).toMatchObject({
      code: "idempotency_mismatch",
      detail: "This Idempotency-Key was used for a request with another body, model or thread.",
    });
  }
});

test("a failure that the next try may not have is not kept: the same key tries again", async () => {
  const { models, model } = scripted(failsWith("upstream_error"), "Now");
  await using agent = await runAgentApp(models);
  expect((await post(agent.url, human("Hi"), key)).status).toBe(502);
  const second = await post(agent.url, human("Hi"), key);
  expect(await second.json()).toMatchObject({ content: "Now" });
  expect(model.requests).toHaveLength(2);
});

test("a client that lost its connection comes back for the answer", async () => {
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow: ScriptedTurn = async (_request, { signal }) => {
    asked.resolve();
    await release.promise;
    signal.throwIfAborted();
    return "Kept";
  };
  const { models, model } = scripted(slow);
  await using agent = await runAgentApp(models);
  const controller = new AbortController();
  const lost = post(agent.url, human("Hi"), key, controller.signal);
  await asked.promise;
  controller.abort();
  await expect(lost).rejects.toThrow(/abort/i);
  const again = post(agent.url, human("Hi"), key);
  release.resolve();
  expect(await (await again).json()).toMatchObject({ content: "Kept" });
  expect(model.requests).toHaveLength(1);
});

/** An agent with this script and a tool that needs approval, whose turns end through `endTurn`. */
async function withEnds(
  turns: readonly ScriptedTurn[],
  endTurn: (memory: AgentMemory, result: AgentTurnResult) => Promise<boolean>,
  storage: SqliteOptions = { file: ":memory:" },
) {
  const { agent: memory, close } = await openSqlite(storage);
  const agent = await runAgentApp(scripted(...turns).models, {
    tools: () => [mailTool([])],
    memory: { ...memory, endTurn: (result) => endTurn(memory, result) },
  });
  return { ...agent, memory, [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose]().then(close) };
}

const thread = { "x-thread-id": "talk" };
const stream = { accept: "text/event-stream" };
const approval = asksFor("send_mail", { to: "a@example.org" }, "call_1");
test.each<[string, ScriptedTurn, Record<string, string>, string[][]]>([
  ["a plain turn", "Hi", {}, []],
  ["a turn of a thread", "Hi", thread, [["ended", "thread"]]],
  ["a turn with a key", "Hi", key, [["answer", "ended"]]],
  ["a turn of a thread with a key", "Hi", { ...thread, ...key }, [["answer", "ended", "thread"]]],
  ["one that is streamed", "Hi", { ...thread, ...key, ...stream }, [["answer", "ended", "thread"]]],
  ["one that waits for approval", approval, { ...thread, ...key }, [["answer", "ended", "held", "waiting"]]],
  ["one that fails", failsWith("upstream_error"), { ...thread, ...key }, [["ended"]]],
])("%s leaves what it leaves in one step", async (_name, turn, headers, expected) => {
  const steps: string[][] = [];
  await using agent = await withEnds([turn], (memory, result) => {
    steps.push(
      Object.entries(result)
        .flatMap(([name, left]) => (left ? [name] : []))
        .toSorted(),
    );
    return memory.endTurn(result);
  });
  await (await post(agent.url, human("Hi"), headers)).text();
  expect(steps).toEqual(expected);
});

test("a turn that its thread could not keep is continued under the same key, without another call", async () => {
  let fails = true;
  await using agent = await withEnds(["First", "Second"], async (memory, result) => {
    if (!fails) return memory.endTurn(result);
    fails = false;
    throw new Error("away");
  });
  expect((await post(agent.url, human("Hi"), { ...thread, ...key })).status).toBe(503);
  const second = await post(agent.url, human("Hi"), { ...thread, ...key });
  expect(await second.json()).toMatchObject({ content: "First" });
  const kept = await agent.memory.threads.get({ owner: null, id: "talk" });
  expect(kept?.messages.map(({ content }) => content)).toEqual(["Hi", "First"]);
});

test("an answer that could not be kept is given all the same", async () => {
  await using agent = await withEnds(["First"], () => Promise.reject(new Error("away")));
  expect(await (await post(agent.url, human("Hi"), key)).json()).toMatchObject({ content: "First" });
});

test("a turn whose key has gone to another process is not added again: its client is asked to retry", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  await using other = await openSqlite({ file });
  await using agent = await withEnds(
    ["Hello"],
    async (memory, result) => {
      const claimed = await other.agent.answers.claim(result.answer!.key);
      if (claimed.outcome === "lost") await other.agent.openRuns.recover(claimed.run.runId);
      await other.agent.endTurn(result);
      return memory.endTurn(result);
    },
    // No process has this id, so the other takes this one for dead.
    { file, pid: 4_000_000 },
  );
  const response = await post(agent.url, human("Hi"), { ...thread, ...key });
  expect([response.status, response.headers.get("retry-after")]).toEqual([409, "1"]);
  expect(Problem.parse(await response.json()).code).toBe("idempotency_in_progress");
  expect((await agent.memory.threads.get({ owner: null, id: "talk" }))?.messages).toHaveLength(2);
  const again = await post(agent.url, human("Hi"), { ...thread, ...key });
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
});

test.each(["", "x".repeat(256), "naïve"])("an unusable key (%s) is refused", async (value) => {
  await using agent = await runAgentApp(scripted("Hi").models);
  const response = await send(agent.app, "http://localhost/", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-model-id": "test/model",
      "idempotency-key": value,
      host: "localhost",
    },
    body: JSON.stringify(human("Hi")),
  });
  expect(response.status).toBe(400);
});
