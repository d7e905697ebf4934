import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { buildRequest } from "../../../web/new-run/build-request.ts";
import { curlLine } from "../../../web/new-run/curl-line.ts";
import { draftFromRequest } from "../../../web/new-run/draft-from-request.ts";
import { newFields, splitRequest } from "../../../web/new-run/split-request.ts";
import { countTurns, parseScenarios } from "../../../web/new-run/parse-scenarios.ts";
import { emptyDraft } from "../../../web/new-run/run-draft.ts";

test("a scenario, a list, JSONL and a whole request are all read", () => {
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

test("empty fields are left out and a pasted request keeps what the form does not know", () => {
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

test("attempts that are no number are sent as typed, for the service to name the mistake", () => {
  expect(buildRequest({ ...emptyDraft, attempts: "many" })).toEqual({ attempts: "many" });
});

test("a field that was cleared is not sent, whatever the pasted request says", () => {
  const request = { model_id: "m", judge: { model_id: "j", votes: 3 }, budget: { money: 2, calls: 9 } };
  const draft = draftFromRequest({ test_batch: { id: "a" }, ...request, attempts: 2 });
  expect(buildRequest(draft)).toEqual({ ...request, test_batch: { id: "a" }, attempts: 2 });
  const cleared = { ...draft, model: "", judgeModel: "", judgeVotes: "", money: "", attempts: "" };
  expect(buildRequest(cleared)).toEqual({ budget: { calls: 9 }, test_batch: { id: "a" } });
});

test("only what is new in a pasted request changes the fields", () => {
  const before = { model_id: "m", endpoint: "http://a", judge: { votes: 1 } };
  expect(newFields(before, { ...before, judge: { votes: 2 } })).toEqual({ judgeVotes: "2" });
  expect(newFields({}, before)).toEqual({ model: "m", endpoint: "http://a", judgeVotes: "1" });
});

test("a run that is run again sends the request it was made from", () => {
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
  // The service refuses it; the form's default must not take its place.
  const refused = { ...request, attempts: { min: 2, max: 6, ci_width: 0.1 } };
  expect(buildRequest(draftFromRequest(refused))).toEqual(refused);
});

test("the curl line survives a shell, quotes and all", () => {
  const body = { text: `it's "quoted" $HOME \`x\` \\ \n` };
  const line = curlLine("http://127.0.0.1/evaluate", body).replace(/^curl/, "printf '%s\\n'");
  expect(execFileSync("sh", ["-c", line], { encoding: "utf8" }).trimEnd().split("\n").at(-1)).toBe(
    JSON.stringify(body),
  );
  const guarded = curlLine("http://127.0.0.1/evaluate", body, { guarded: true }).replace(/^curl/, "printf '%s\\n'");
  const env = { ...process.env, REHEARSAL_API_KEY: "rh_secret" };
  expect(execFileSync("sh", ["-c", guarded], { encoding: "utf8", env })).toContain("authorization: Bearer rh_secret\n");
});
