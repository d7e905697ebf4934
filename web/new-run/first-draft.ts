import type { PageConfig } from "../../src/contract/schemas/service-info.ts";
import { emptyDraft, loadDraft, type RunDraft } from "./run-draft.ts";
import { sampleScenarios } from "./sample-scenarios.ts";

/** What the form holds when it opens, by the way the user came here. */
export function firstDraft(start: string | null, config: PageConfig): RunDraft {
  if (start === "demo") return demoDraft(config);
  if (start === "paste" || start === "endpoint")
    return { ...emptyDraft, scenarios: start === "endpoint" ? sampleText : "" };
  return loadDraft();
}

export const sampleText = JSON.stringify(sampleScenarios, null, 2);

/** The agent backend under test is the one that serves this page; the flaky demo model makes attempts differ. */
function demoDraft(config: PageConfig): RunDraft {
  return { ...agentDraft(config, null), name: config.demo ? "demo" : "example" };
}

/** A run of the example scenarios against the agent backend that serves this page. */
export function agentDraft(config: PageConfig, model: string | null): RunDraft {
  const target = agentTarget(config);
  return { ...emptyDraft, ...target, model: model ?? target.model, scenarios: sampleText };
}

/** The agent behind this page as what is put to the test. */
export function agentTarget({ hub_models }: PageConfig): Pick<RunDraft, "endpoint" | "protocol" | "model"> {
  const flaky = hub_models.find((name) => name.endsWith("/flaky")) ?? hub_models[0] ?? "";
  return { endpoint: location.origin, protocol: "agent", model: flaky };
}

/** A run of the example scenarios against a model at another address. */
export const endpointDraft = (endpoint: string, model: string | null): RunDraft => ({
  ...emptyDraft,
  endpoint,
  model: model ?? "",
  scenarios: sampleText,
});
