import type { PageConfig } from "../../src/contract/page-config.ts";
import { emptyDraft, loadDraft, type RunDraft } from "./run-draft.ts";
import { sampleScenarios } from "./sample-scenarios.ts";

/** What the form holds when it opens, by the way the user came here. */
export function firstDraft(start: string | null, config: PageConfig): RunDraft {
  if (start === "demo") return demoDraft(config);
  if (start === "paste" || start === "endpoint")
    return { ...emptyDraft, scenarios: start === "endpoint" ? sampleText : "" };
  return loadDraft();
}

const sampleText = JSON.stringify(sampleScenarios, null, 2);

/** The agent backend under test is the one that serves this page; the flaky demo model makes attempts differ. */
function demoDraft(config: PageConfig): RunDraft {
  return { ...agentDraft(config, null), name: config.demo ? "demo" : "example" };
}

/** A run of the example scenarios against the agent backend that serves this page. */
export function agentDraft(config: PageConfig, model: string | null): RunDraft {
  const flaky = config.hub_models.find((name) => name.endsWith("/flaky")) ?? config.hub_models[0] ?? "";
  return { ...emptyDraft, endpoint: location.origin, protocol: "agent", model: model ?? flaky, scenarios: sampleText };
}

/** A run of the example scenarios against a model at another address. */
export const endpointDraft = (endpoint: string, model: string | null): RunDraft => ({
  ...emptyDraft,
  endpoint,
  model: model ?? "",
  scenarios: sampleText,
});
