import { expect, test } from "vitest";
import type { AgentAnswers } from "../../../contract/ports/agent-memory.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { createIdempotentTurns } from "./idempotent-turns.ts";
import type { Turn } from "./turn.ts";

const key = { owner: null, key: "k", hash: "h" };
const answers: AgentAnswers = { claim: async () => ({ outcome: "claimed" }), release: async () => {} };
const turn = { runId: "run-2", outcome: new Promise(() => {}) } as unknown as Turn;

const client = { signal: new AbortController().signal, isAsync: false };

const turns = () => createIdempotentTurns({ answers, recover: async () => null, onError: () => {} });

test("lets the next client start the turn when the first one left before it started", async () => {
  const idempotent = turns();
  const waiting = Promise.withResolvers<Turn>();
  const first = idempotent.begin(key, () => waiting.promise, client);
  const second = idempotent.begin(key, async () => turn, client);
  waiting.reject(new DOMException("The client went away.", "AbortError"));
  await expect(first).rejects.toThrow("went away");
  expect(await second).toMatchObject({ kind: "turn", turn: { runId: "run-2" }, replayed: false });
});

test("lets later clients follow a turn that started while the one before it was released", async () => {
  const released = Promise.withResolvers<void>();
  const claims = [{ outcome: "claimed" }, { outcome: "claimed" }, { outcome: "running" }] as const;
  let claimed = 0;
  const idempotent = createIdempotentTurns({
    answers: { claim: async () => claims[claimed++] ?? { outcome: "running" }, release: () => released.promise },
    recover: async () => null,
    onError: () => {},
  });
  const failing = Promise.withResolvers<Turn>();
  const first = idempotent.begin(key, () => failing.promise, client);
  first.catch(() => {});
  await expect.poll(() => claimed).toBe(1);
  failing.reject(new ServiceError("model_not_found", "No such model."));
  await new Promise(setImmediate);
  const second = idempotent.begin(key, async () => turn, client);
  released.resolve();
  await expect(first).rejects.toThrow("No such model.");
  expect(await second).toMatchObject({ replayed: false });
  expect(await idempotent.begin(key, async () => turn, client)).toMatchObject({
    turn: { runId: "run-2" },
    replayed: true,
  });
});

test("refuses all clients of a key with the same error", async () => {
  const idempotent = turns();
  const waiting = Promise.withResolvers<Turn>();
  const asked = [1, 2].map(() => idempotent.begin(key, () => waiting.promise, client));
  waiting.reject(new ServiceError("model_not_found", "No such model."));
  for (const refused of asked) await expect(refused).rejects.toThrow("No such model.");
});
