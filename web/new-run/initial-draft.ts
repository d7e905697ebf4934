import brokenVase from "../../examples/scenarios/broken-vase.json";
import cancelOrder from "../../examples/scenarios/cancel-order.json";
import discountCode from "../../examples/scenarios/discount-code.json";
import kettleWarranty from "../../examples/scenarios/kettle-warranty.json";
import lateBirthdayParcel from "../../examples/scenarios/late-birthday-parcel.json";
import returnDeskLamp from "../../examples/scenarios/return-desk-lamp.json";
import type { PageConfig } from "../../src/contract/schemas/shared/service-info.ts";
import { emptyDraft, loadDraft, ownWorldHeader, readProtocol, type RunDraft } from "./run-draft.ts";

const scenarios = [lateBirthdayParcel, discountCode, kettleWarranty, brokenVase, cancelOrder, returnDeskLamp];

/** Sample conversations with a shop's support. With the demo models one fails and one is flaky. */
const sampleScenarios = scenarios.map((scenario) => ({
  ...scenario,
  interactions: scenario.interactions.map(({ agent_reply: _reply, generated_metadata: _labels, ...input }) => input),
}));

/** The form's initial content, by the link that opened it (`?start=`). */
export function initialDraft(start: string | null, config: PageConfig): RunDraft {
  if (start === "demo") return { ...agentDraft(config, null), name: config.demo ? "demo" : "example" };
  if (start === "paste" || start === "endpoint")
    return { ...emptyDraft, scenarios: start === "endpoint" ? sampleText : "" };
  return loadDraft();
}

export const sampleText = JSON.stringify(sampleScenarios, null, 2);

/** Runs the sample scenarios against the agent that serves this page. */
export function agentDraft(config: PageConfig, model: string | null): RunDraft {
  const target = agentTarget(config);
  return { ...emptyDraft, ...target, model: model ?? target.model, scenarios: sampleText };
}

/** The agent that serves this page as the target; the flaky demo model, if there is one, makes attempts differ. */
export function agentTarget({
  hub_models,
}: PageConfig): Pick<RunDraft, "endpoint" | "protocol" | "model" | "worldHeader"> {
  const flaky = hub_models.find((name) => name.endsWith("/flaky")) ?? hub_models[0] ?? "";
  return { endpoint: location.origin, protocol: "agent", model: flaky, worldHeader: ownWorldHeader };
}

/** Runs the sample scenarios against a model at another endpoint. */
export const endpointDraft = (
  endpoint: string,
  { model, protocol }: { model: string | null; protocol: string | null },
): RunDraft => ({
  ...emptyDraft,
  endpoint,
  protocol: readProtocol(protocol),
  model: model ?? "",
  scenarios: sampleText,
});
