import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { environmentPage } from "../../scripts/reference/environment-page.ts";
import { errorProofs } from "../../scripts/reference/error-proofs.ts";
import { errorsPage } from "../../scripts/reference/errors-page.ts";
import { errorKinds } from "../../src/contract/errors/errors.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { hang } from "../support/fake-provider/connection-faults.ts";
import { send } from "../support/http.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runServices } from "../support/services.ts";
import { evaluationOf } from "./support/load.ts";
import { startServe } from "./support/serve-process.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

test.each(Object.entries(errorKinds))("%s says what to do, and a test provokes it", (code, { hint }) => {
  const proof = errorProofs[code as keyof typeof errorProofs];
  expect(hint.length).toBeGreaterThan(10);
  expect(read(proof)).toContain(code);
  expect(read("docs/reference/errors.md")).toContain(`### \`${code}\``);
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
  const body = evaluationOf(provider.url);
  const { run_id } = (await send(`${services.evaluation}/evaluate`, { body })).body as { run_id: string };
  const answer = await send(`${services.evaluation}/runs/${run_id}/cancel`, { method: "POST" });
  expect([answer.status, Problem.parse(answer.body).code]).toEqual([409, "run_already_finished"]);
});

test("a run that has not ended is not exported as if it had: run_not_finished", async () => {
  await using provider = await startFakeProvider({ behaviour: hang });
  await using services = await runServices();
  const body = evaluationOf(provider.url);
  const headers = { prefer: "respond-async" };
  const { run_id } = (await send(`${services.evaluation}/evaluate`, { body, headers })).body as { run_id: string };
  const answer = await send(`${services.evaluation}/runs/${run_id}/export?format=junit`);
  expect([answer.status, Problem.parse(answer.body).code]).toEqual([409, "run_not_finished"]);
  expect((await send(`${services.evaluation}/runs/${run_id}/results`)).status).toBe(200);
  await send(`${services.evaluation}/runs/${run_id}`, { method: "DELETE" });
});

test("a judge is not asked beyond the budget, and its score says why it is missing: budget_exceeded", async () => {
  await using provider = await startFakeProvider();
  await using services = await runServices();
  const judge = { endpoint: provider.url, model_id: "judge", rubric: "Is it right?" };
  const body = { ...evaluationOf(provider.url), judge, budget: { calls: 1 } };
  const answer = await send(`${services.evaluation}/evaluate`, { body });
  expect([answer.status, provider.requests.length]).toEqual([200, 1]);
  expect(JSON.stringify(answer.body)).toContain("could not be asked: budget_exceeded");
});

test("a client that leaves inside its body is a line in the log: client_closed", async () => {
  await using serve = await startServe({ LOG_LEVEL: "info" });
  const socket = connect(Number(new URL(serve.evaluation).port), "127.0.0.1");
  await once(socket, "connect");
  const head =
    "POST /evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{";
  socket.write(head, () => socket.resetAndDestroy());
  await expect.poll(() => serve.stderr(), { timeout: 30_000 }).toContain('"status":499');
});

test("a turn that another process has taken over is not begun twice: idempotency_in_progress", async () => {
  await using folder = await temporaryFolder();
  // No process has this id, so the other takes this one for dead.
  await using here = await openSqlite({ file: folder.file("rehearsal.db"), pid: 4_000_000 });
  await using there = await openSqlite({ file: folder.file("rehearsal.db") });
  const key = { owner: null, key: "k", hash: "h" };
  expect(await here.agent.answers.claim(key)).toEqual({ outcome: "claimed" });
  expect(await there.agent.answers.claim(key)).toEqual({ outcome: "claimed" });
  const accepted = here.agent.acceptTurn("run-1", { owner: null, thread_id: null, answer_key: key, state: {} });
  await expect(accepted).rejects.toMatchObject({ code: "idempotency_in_progress" });
});
