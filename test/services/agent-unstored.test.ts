import { expect, test } from "vitest";
import { asksFor } from "../../src/agent/testing/scripted-model.ts";
import type { AgentMemory } from "../../src/contract/ports/agent-memory.ts";
import { ServiceError } from "../../src/contract/errors/errors.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { send } from "../support/http.ts";
import { human, mailTool, post, runAgentApp, scripted } from "./agent-support.ts";

/** A memory on a disk that is full after so many more writes about runs that wait, until it is freed. */
function onFullDisk(memory: AgentMemory) {
  let left = Infinity;
  const writing =
    <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      left -= 1;
      if (left < 0) throw new ServiceError("storage_full", "The disk that holds the database is full.");
      return write(...args);
    };
  const { take, note, giveBack } = memory.openRuns;
  const openRuns = {
    ...memory.openRuns,
    take: writing(take),
    note: writing(note),
    giveBack: writing(giveBack),
  };
  return {
    memory: { ...memory, openRuns, endTurn: writing(memory.endTurn) },
    fillAfter: (writes: number) => void (left = writes),
    free: () => void (left = Infinity),
  };
}

// Taken, decided, the call begun, the call ended, the reply, the end of the turn.
test.each([
  { writes: 1, sentThen: 0 },
  { writes: 2, sentThen: 0 },
  { writes: 3, sentThen: 1 },
  { writes: 4, sentThen: 1 },
  { writes: 5, sentThen: 1 },
])(
  "a run whose store fails after write $writes since its decision is decided about again, and calls once",
  async ({ writes, sentThen }) => {
    await using storage = await openSqlite({ file: ":memory:" });
    const disk = onFullDisk(storage.agent);
    const sent: unknown[] = [];
    const { models, model } = scripted(asksFor("send_mail", { to: "a@example.org" }, "call_1"), "Sent.", "Once more.");
    await using agent = await runAgentApp(models, { memory: disk.memory, tools: () => [mailTool(sent)] });
    const answer = await post(agent.url, human("Mail a@example.org"), { "x-thread-id": "t" });
    const path = `${agent.url}/agent/runs/${answer.headers.get("x-run-id")}`;
    const decide = () => post(`${path}/resume`, { decisions: { call_1: "approve" } });

    disk.fillAfter(writes);
    expect((await decide()).status).toBe(507);
    expect((await decide()).status).toBe(507);
    expect(sent).toHaveLength(sentThen);
    expect((await send(path)).body).toMatchObject({ state: "waiting", error: { code: "storage_unavailable" } });

    disk.free();
    const resumed = await decide();
    expect([resumed.status, await resumed.json()]).toMatchObject([200, { content: "Sent." }]);
    expect(sent).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]?.messages.at(-1)?.content).not.toContain("not known");
    expect((await send(path)).body).toMatchObject({ state: "completed", error: null, tool_calls: 1 });
    expect((await send(`${agent.url}/agent/threads/t`)).body).toMatchObject({
      messages: [{ content: "Mail a@example.org" }, { content: "Sent." }],
    });
    expect((await decide()).status).toBe(409);
  },
);
