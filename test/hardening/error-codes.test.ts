import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { environmentPage } from "../../scripts/reference/environment-page.ts";
import { errorProofs } from "../../scripts/reference/error-proofs.ts";
import { errorsPage } from "../../scripts/reference/errors-page.ts";
import { errorKinds } from "../../src/contract/errors.ts";
import { Problem } from "../../src/contract/problem.ts";
import { createMemoryAnswers } from "../../src/services/agent/memory/memory-answers.ts";
import { createIdempotentTurns } from "../../src/services/agent/turns/idempotent-turns.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { send } from "../support/http.ts";
import { runServices } from "../support/services.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

test("every code says what to do, and names a test that provokes it or why none can", () => {
  const lacking = Object.entries(errorKinds).filter(([code, { hint }]) => {
    const proof = errorProofs[code as keyof typeof errorProofs];
    const proven = "test" in proof ? read(proof.test).includes(code) : proof.why.length > 20;
    return hint.length < 10 || !proven;
  });
  expect(lacking).toEqual([]);
});

test("docs/reference/errors.md is what the error table says (node scripts/write-reference.ts)", () => {
  expect(read("docs/reference/errors.md")).toBe(errorsPage());
});

test("docs/reference/environment.md is what the settings say (node scripts/write-reference.ts)", () => {
  expect(read("docs/reference/environment.md")).toBe(environmentPage());
});

test("a run that has ended cannot be cancelled: run_already_finished", async () => {
  await using provider = await startFakeProvider();
  await using services = await runServices();
  const body = {
    test_batch: { id: "s", interactions: [{ id: "1", user_message: "Hi" }] },
    endpoint: provider.url,
    model_id: "m",
  };
  const { run_id } = (await send(`${services.evaluation}/evaluate`, { body })).body as { run_id: string };
  const answer = await send(`${services.evaluation}/runs/${run_id}/cancel`, { method: "POST" });
  expect([answer.status, Problem.parse(answer.body).code]).toEqual([409, "run_already_finished"]);
});

test("a turn that another process has under way is not begun twice: idempotency_in_progress", async () => {
  const answers = createMemoryAnswers();
  const key = { owner: null, key: "k", hash: "h" };
  await answers.claim(key);
  const begin = createIdempotentTurns({ answers }).begin(key, () => Promise.reject(new Error("must not start")));
  await expect(begin).rejects.toMatchObject({ code: "idempotency_in_progress" });
});
