import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { buildRequest } from "../../../web/new-run/build-request.ts";
import { curlLine } from "../../../web/new-run/curl-line.ts";
import { draftFromRun } from "../../../web/new-run/draft-from-run.ts";
import { fieldsFromRequest } from "../../../web/new-run/fields-from-request.ts";
import { countTurns, parseScenarios } from "../../../web/new-run/parse-scenarios.ts";
import { emptyDraft } from "../../../web/new-run/run-draft.ts";
import { nightly } from "../support/sample-runs.ts";

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
  const draft = { ...emptyDraft, scenarios, ...fieldsFromRequest(scenarios) };
  expect(draft).toMatchObject({ protocol: "agent", attempts: "3" });
  expect(buildRequest({ ...draft, protocol: "openai-chat" })).toEqual({
    test_batch: { id: "a" },
    protocol: "openai-chat",
    attempts: 3,
    parameters: { seed: 1 },
  });
});

test("attempts that are no number are sent as typed, for the service to name the mistake", () => {
  expect(buildRequest({ ...emptyDraft, attempts: "many" })).toEqual({ attempts: "many" });
});

test("a run read back holds its scenarios as they were sent", () => {
  const draft = draftFromRun(nightly, { ownOrigin: "http://127.0.0.1:8000" });
  const scenarios = JSON.parse(draft.scenarios) as { id: string; interactions: Record<string, unknown>[] }[];
  expect(scenarios.map((scenario) => scenario.id)).toContain("order/status ünïcode?");
  expect(Object.keys(scenarios[0]?.interactions[0] ?? {})).not.toContain("agent_reply");
  expect(draft).toMatchObject({ attempts: "5", protocol: "agent" });
  expect(draftFromRun(nightly, { ownOrigin: "http://127.0.0.1:9" }).protocol).toBe("openai-chat");
});

test("the curl line survives a shell, quotes and all", () => {
  const body = { text: `it's "quoted" $HOME \`x\` \\ \n` };
  const line = curlLine("http://127.0.0.1/evaluate", body).replace(/^curl/, "printf '%s\\n'");
  expect(execFileSync("sh", ["-c", line], { encoding: "utf8" }).trimEnd().split("\n").at(-1)).toBe(
    JSON.stringify(body),
  );
});
