import type { SettingChange } from "../../contract/schemas/comparison.ts";
import { canonicalJson } from "../../base/json.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { redactEndpoint } from "../../base/secret.ts";
import { testedEndpoint } from "../plan/endpoints.ts";

type Value = SettingChange["baseline"];

/** Settings that the model under test can observe. */
type VisibleSettings = Pick<
  RunSettings,
  | "model_id"
  | "endpoint"
  | "protocol"
  | "target"
  | "system_prompt"
  | "parameters"
  | "history"
  | "attempts"
  | "adaptive"
  | "tool_support"
>;

export interface SettingsSide {
  readonly settings: VisibleSettings;
  /** True when the command line started the agent itself. */
  readonly ownAgent?: boolean | undefined;
  readonly scenarios: readonly Pick<Scenario, "id" | "system_prompt">[];
}

const mostScenarios = 20;

/**
 * The settings visible to the model in which two runs differ, with the first differing scenario prompts. Differences in scoring
 * are reported separately.
 */
export function settingChanges(baseline: SettingsSide, candidate: SettingsSide): SettingChange[] {
  const ofRun = changes(visibleSettings(baseline), visibleSettings(candidate));
  const [before, after] = [scenarioPrompts(baseline), scenarioPrompts(candidate)];
  const shared = [...after.keys()].filter((setting) => before.has(setting));
  const pick = (prompts: ReadonlyMap<string, Value>) =>
    shared.map((setting) => [setting, prompts.get(setting) ?? null]);
  const ofScenarios = changes(Object.fromEntries(pick(before)), Object.fromEntries(pick(after)));
  return [...ofRun, ...ofScenarios.slice(0, mostScenarios)];
}

function changes(before: Readonly<Record<string, Value>>, after: Readonly<Record<string, Value>>): SettingChange[] {
  return Object.keys({ ...before, ...after })
    .map((setting) => ({ setting, baseline: before[setting] ?? null, candidate: after[setting] ?? null }))
    .filter((change) => canonicalJson(change.baseline) !== canonicalJson(change.candidate));
}

function visibleSettings({ settings, ownAgent = false }: SettingsSide): Readonly<Record<string, Value>> {
  const { model_id, protocol, system_prompt, parameters = {}, history = "generated" } = settings;
  const endpoint = redactEndpoint(testedEndpoint(settings.endpoint, ownAgent));
  const named = Object.entries(parameters).map(([name, value]) => [`parameters.${name}`, value]);
  const prompt = system_prompt ?? null;
  const attempts = settings.adaptive ?? settings.attempts;
  const target = (settings.target ?? null) as Value;
  return {
    model_id,
    endpoint,
    protocol,
    target,
    system_prompt: prompt,
    ...Object.fromEntries(named),
    history,
    ...(settings.tool_support === "prompted" && { tool_support: "prompted" }),
    attempts,
  };
}

function scenarioPrompts({ scenarios }: SettingsSide): ReadonlyMap<string, Value> {
  return new Map(scenarios.map(({ id, system_prompt }) => [`scenarios.${id}.system_prompt`, system_prompt ?? null]));
}
