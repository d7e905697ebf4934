import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { runAttempt } from "../../evaluation/attempts/run-attempt.ts";
import { createCodeHost } from "./code-host.ts";
import { createLocalTargets } from "./local-targets.ts";

const limits = { timeoutMs: 20_000, memoryMb: 256, processes: 3, startMs: 20_000 };
const turns = 3;
const scenario = {
  id: "memory",
  interactions: Array.from({ length: turns }, (_, index) => ({ id: `t${index}`, user_message: `m${index}` })),
} as unknown as Scenario;

/** Runs attempts of the scenario concurrently, and returns the last reply of each. */
async function lastReplies(module: string, attempts: number): Promise<readonly (string | undefined)[]> {
  const folder = await mkdtemp(join(tmpdir(), "local-targets-"));
  const path = join(folder, "agent.mjs");
  await writeFile(path, module);
  await using host = createCodeHost({ limits, idleMs: 5_000 });
  const targets = createLocalTargets({
    host,
    limits,
    retry: { maximum: 2, baseMs: 1 },
    environment: { FOLDER: folder },
    variable: () => undefined,
    scrub: (text) => text,
    secrets: [],
  });
  const model = targets.modelOf({ module: path }, "m");
  const signal = AbortSignal.timeout(60_000);
  const outcomes = await Promise.all(
    Array.from({ length: attempts }, (_, index) =>
      runAttempt({ scenario, model, onFailure: "stop", signal, onReply: async () => {}, sessionId: `s${index}` }),
    ),
  );
  await rm(folder, { recursive: true, force: true });
  return outcomes.map(({ replies }) => replies.get(turns - 1)?.agent_reply);
}

const remembering = `
const known = new Map();
export async function reply(messages, { session_id }) {
  const count = (known.get(session_id) ?? 0) + 1;
  known.set(session_id, count);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
  return "I know " + count + " of " + messages.filter(({ role }) => role === "user").length;
}
`;

test("all turns of an attempt go to one process, with more attempts than processes too", async () => {
  const replies = await lastReplies(remembering, 10);
  expect(new Set(replies)).toEqual(new Set(["I know 3 of 3"]));
});

test("the conversation begins again in a new process when its own has died", async () => {
  const crashing = `
import { existsSync, writeFileSync } from "node:fs";
const known = new Map();
export async function reply(messages, { session_id }) {
  const count = (known.get(session_id) ?? 0) + 1;
  known.set(session_id, count);
  const marker = process.env.FOLDER + "/" + session_id;
  if (count === 3 && !existsSync(marker)) { writeFileSync(marker, ""); process.exit(1); }
  return "I know " + count + " of " + messages.filter(({ role }) => role === "user").length;
}
`;
  expect(await lastReplies(crashing, 1)).toEqual(["I know 3 of 3"]);
});
