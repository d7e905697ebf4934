import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { send } from "../support/http.ts";
import { runServices } from "../support/services.ts";

const keys = {
  "team/ada": "runs:read+runs:write",
  "team/bob": "runs:read+runs:write",
  "team/lead": "runs:read+runs:write+verdicts:adjudicate",
  team: "evaluate+runs:read+runs:write",
};
const secretOf = (name: string): string => `secret-of-${name}`;
const entries = Object.entries(keys).map(
  ([name, scopes]) => `${name}:${createHash("sha256").update(secretOf(name)).digest("hex")}:${scopes}`,
);

test("a key stores verdicts of its own rater only", async () => {
  await using services = await runServices({ REHEARSAL_API_KEYS: entries.join() });
  const as = (name: string, path: string, body?: object) =>
    send(`${services.evaluation}${path}`, { headers: { "x-api-key": secretOf(name) }, ...(body && { body }) });
  const scenario = { id: "s", interactions: [{ id: "1", user_message: "Hi", agent_reply: "Hello" }] };
  const recorded = { test_batch: scenario, endpoint: "recorded:", protocol: "recorded", model_id: "m" };
  const { run_id } = (await as("team", "/evaluate", recorded)).body as { run_id: string };
  const path = `/runs/${run_id}/verdicts`;
  const verdict = { scenario_id: "s", question: "review", choice: "pass" };
  const give = (name: string, fields: object, request: object = {}) =>
    as(name, path, { ...request, verdicts: [{ ...verdict, ...fields }] });

  expect(await give("team/ada", {})).toMatchObject({ status: 200, body: { stored: 1 } });
  expect(await give("team/ada", { rater: "ada" }, { rater: "bob" })).toMatchObject({ status: 200 });
  expect(await give("team/bob", { choice: "fail" })).toMatchObject({ status: 200 });
  expect(await give("team", {})).toMatchObject({ status: 200 });
  const csv = "scenario_id,question,choice,rater\ns,review,pass,ada\ns,review,fail,bob\n";
  const refused = [
    await give("team/ada", { rater: "bob" }),
    await give("team/ada", {}, { rater: "bob" }),
    await give("team/ada", { rater: "Ada" }),
    await give("team/ada", { rater: "bob", choice: null }),
    await give("team/ada", { adjudication: true }),
    await give("team", { rater: "team/ada" }),
    await as("team/ada", path, { text: csv }),
    await as("team/ada", `/runs/${run_id}/review?rater=bob`),
  ];
  for (const answer of refused) expect(answer).toMatchObject({ status: 403, body: { code: "scope_missing" } });
  const listed = async () => (await as("team/ada", path)).body as { verdicts: { rater: string; choice: string }[] };
  expect((await listed()).verdicts.map(({ rater, choice }) => [rater, choice]).toSorted()).toEqual([
    ["ada", "pass"],
    ["bob", "fail"],
    ["team", "pass"],
  ]);

  const queue = await as("team/ada", `/runs/${run_id}/review?question=review`);
  expect(queue.body).toMatchObject({ rater: "ada", rater_fixed: true, progress: { mine: 1 } });
  expect(await as("team/lead", path, { text: csv })).toMatchObject({ status: 200, body: { stored: 2 } });
  expect(await give("team/lead", { adjudication: true })).toMatchObject({ status: 200 });
  const free = await as("team/lead", `/runs/${run_id}/review?question=review&rater=bob`);
  expect(free.body).toMatchObject({ rater: "bob" });
  expect(free.body).not.toHaveProperty("rater_fixed");
  expect((await listed()).verdicts).toContainEqual(expect.objectContaining({ rater: "lead", adjudication: true }));
});
