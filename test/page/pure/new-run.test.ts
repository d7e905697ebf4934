import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import {
  buildRequest,
  curlCommand,
  draftFromRequest,
  changedFields,
  splitRequest,
} from "../../../web/new-run/run-request.ts";
import { countTurns, parseScenarios } from "../../../web/new-run/scenario-text.ts";
import { emptyDraft } from "../../../web/new-run/run-draft.ts";

test("parses a scenario, a list, JSONL and a full request", () => {
  const scenario = { id: "a", interactions: [{ id: "1" }, { id: "2" }] };
  const text = JSON.stringify(scenario);
  expect(parseScenarios(text)).toEqual({ kind: "parsed", batch: scenario, request: {} });
  expect(parseScenarios(`[${text}]`)).toEqual({ kind: "parsed", batch: [scenario], request: {} });
  expect(parseScenarios(`${text}\n\n${text}\n`)).toEqual({ kind: "parsed", batch: [scenario, scenario], request: {} });
  expect(parseScenarios(`{"test_batch":${text},"seed":1}`)).toEqual({
    kind: "parsed",
    batch: scenario,
    request: { seed: 1 },
  });
  expect(parseScenarios(text)).toBe(parseScenarios(text));
  expect(parseScenarios(" ")).toEqual({ kind: "empty" });
  expect(parseScenarios("{").kind).toBe("invalid");
  expect(countTurns([scenario, scenario, "nonsense"])).toEqual({ scenarios: 3, turns: 4 });
});

test("leaves out empty fields and keeps pasted values without a form field", () => {
  expect(buildRequest(emptyDraft)).toEqual({ attempts: 5 });
  const scenarios = JSON.stringify({
    test_batch: { id: "a" },
    protocol: "agent",
    attempts: 3,
    parameters: { seed: 1 },
  });
  const { fields } = splitRequest({ protocol: "agent", attempts: 3, parameters: { seed: 1 } });
  const draft = { ...emptyDraft, scenarios, ...fields };
  expect(draft).toMatchObject({ protocol: "agent", attempts: "3" });
  expect(buildRequest({ ...draft, temperature: "0.5" })).toEqual({
    test_batch: { id: "a" },
    protocol: "agent",
    attempts: 3,
    parameters: { seed: 1, temperature: 0.5 },
  });
});

test("sends the address of a world to an agent, and only with scenarios that have one", () => {
  const agent = { ...emptyDraft, attempts: "", protocol: "agent" as const, worldHeader: "x-world" };
  const acting = { id: "a", world: { tools: [] } };
  const sent = { test_batch: acting, protocol: "agent", world_address: { header: "x-world" } };
  expect(buildRequest({ ...agent, scenarios: JSON.stringify(acting) })).toEqual(sent);
  expect(buildRequest(draftFromRequest(sent))).toMatchObject(sent);
  expect(buildRequest({ ...agent, scenarios: '{"id":"a"}' })).not.toHaveProperty("world_address");
  // A model is offered the tools themselves.
  const model = { ...agent, protocol: "openai-chat" as const, scenarios: JSON.stringify(acting) };
  expect(buildRequest(model)).toEqual({ test_batch: acting });
});

test("sends attempts that are not a number as typed", () => {
  expect(buildRequest({ ...emptyDraft, attempts: "many" })).toEqual({ attempts: "many" });
});

test("does not send a cleared field, even if the pasted request has it", () => {
  const request = { model_id: "m", judge: { model_id: "j", votes: 3 }, budget: { money: 2, calls: 9 } };
  const draft = draftFromRequest({ test_batch: { id: "a" }, ...request, attempts: 2 });
  expect(buildRequest(draft)).toEqual({ ...request, test_batch: { id: "a" }, attempts: 2 });
  const cleared = { ...draft, model: "", judgeModel: "", judgeVotes: "", money: "", attempts: "" };
  expect(buildRequest(cleared)).toEqual({ budget: { calls: 9 }, test_batch: { id: "a" } });
});

test("changes only the fields that differ from the last pasted request", () => {
  const before = { model_id: "m", endpoint: "http://a", judge: { votes: 1 } };
  expect(changedFields(before, { ...before, judge: { votes: 2 } })).toEqual({ judgeVotes: "2" });
  expect(changedFields({}, before)).toEqual({ model: "m", endpoint: "http://a", judgeVotes: "1" });
});

test("repeats a run with its original request", () => {
  const request = {
    test_name: "nightly",
    endpoint: "http://127.0.0.1:9/v1",
    model_id: "m",
    protocol: "openai-responses",
    system_prompt: "Be brief.",
    history: "both",
    attempts: 6,
    scorers: ["token_f1", { type: "contains", text: "Yes" }],
    weights: { token_f1: 1 },
    threshold: 0.6,
    judge: { votes: 3, scope: "conversation" },
    budget: { calls: 9 },
    parameters: { temperature: 0.2, seed: 7 },
    tags: ["ci"],
    test_batch: [{ id: "a", system_prompt: "Be kind.", tags: ["x"], interactions: [{ id: "1", user_message: "Hi" }] }],
  };
  expect(buildRequest(draftFromRequest(request))).toEqual(request);
  const plain = { ...request, attempts: 4, scorers: ["token_f1", "chrf"] };
  expect(buildRequest(draftFromRequest(plain))).toEqual(plain);
  expect(draftFromRequest(plain)).toMatchObject({ scorers: "token_f1, chrf", attempts: "4" });
  // The form's default must not replace it: the service refuses it.
  const refused = { ...request, attempts: { min: 2, max: 6, ci_width: 0.1 } };
  expect(buildRequest(draftFromRequest(refused))).toEqual(refused);
});

test("quotes the curl command for a shell", () => {
  const body = { text: `it's "quoted" $HOME \`x\` \\ \n` };
  const line = curlCommand("http://127.0.0.1/evaluate", body).replace(/^curl/, "printf '%s\\n'");
  expect(execFileSync("sh", ["-c", line], { encoding: "utf8" }).trimEnd().split("\n").at(-1)).toBe(
    JSON.stringify(body),
  );
  const guarded = curlCommand("http://127.0.0.1/evaluate", body, { guarded: true }).replace(/^curl/, "printf '%s\\n'");
  const env = { ...process.env, REHEARSAL_API_KEY: "rh_secret" };
  expect(execFileSync("sh", ["-c", guarded], { encoding: "utf8", env })).toContain("authorization: Bearer rh_secret\n");
});

test("a comparison that stops when it is decided has fields of its own", () => {
  const attempts = { until: "decided", against: { model_id: "old" }, each: 2, margin: 0.02 };
  const draft = draftFromRequest({ test_batch: { id: "a" }, attempts });
  expect(draft).toMatchObject({ until: "model_id", against: "old", attempts: "2", margin: "0.02" });
  expect(buildRequest(draft)).toMatchObject({ attempts });
  expect(buildRequest({ ...draft, until: "threshold", against: "0.8", attempts: "1", margin: "" })).toMatchObject({
    attempts: { until: "decided", against: { threshold: 0.8 } },
  });
  // Settings without a field are sent unchanged.
  const special = { ...attempts, score: "exact_match" };
  expect(buildRequest(draftFromRequest({ test_batch: { id: "a" }, attempts: special }))).toMatchObject({
    attempts: special,
  });
});

test("a target is shown as JSON and sent as the object that it is", () => {
  const endpoint = { url: "http://bot.test/", body: { q: "{{message}}" }, reply: "/r" };
  const draft = draftFromRequest({ endpoint, model_id: "bot", test_batch: [] });
  expect(draft.endpoint).toBe(JSON.stringify(endpoint));
  expect(buildRequest(draft)).toMatchObject({ endpoint, model_id: "bot" });
  expect(buildRequest({ ...draft, endpoint: "{not json" })).toMatchObject({ endpoint: "{not json" });
});
