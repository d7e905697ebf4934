import type { SettingChange } from "../contract/schemas/comparison.ts";
import { canonicalJson } from "../base/json.ts";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { redactEndpoint } from "../base/secret.ts";
import { testedEndpoint } from "./tested-endpoint.ts";

type Value = SettingChange["baseline"];

/** What the model under test can feel. */
type FeltSettings = Pick<
  RunSettings,
  "model_id" | "endpoint" | "protocol" | "system_prompt" | "parameters" | "history" | "attempts" | "adaptive"
>;

export interface AskedWith {
  readonly settings: FeltSettings;
  /** By a command that started the agent itself. */
  readonly ownAgent?: boolean | undefined;
  readonly scenarios: readonly Pick<Scenario, "id" | "system_prompt">[];
}

const mostScenarios = 20;

/**
 * In which settings two runs differ, of those that the model under test can feel. Of scenarios with another prompt of their own, the
 * first ones. What the runs are scored with is told by other notes.
 */
export function settingChanges(baseline: AskedWith, candidate: AskedWith): SettingChange[] {
  const ofRun = changes(feltSettings(baseline), feltSettings(candidate));
  const [before, after] = [ownPrompts(baseline), ownPrompts(candidate)];
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

function feltSettings({ settings, ownAgent = false }: AskedWith): Readonly<Record<string, Value>> {
  const { model_id, protocol, system_prompt, parameters = {}, history = "generated" } = settings;
  const endpoint = redactEndpoint(testedEndpoint(settings.endpoint, ownAgent));
  const named = Object.entries(parameters).map(([name, value]) => [`parameters.${name}`, value]);
  const prompt = system_prompt ?? null;
  const attempts = settings.adaptive ?? settings.attempts;
  return { model_id, endpoint, protocol, system_prompt: prompt, ...Object.fromEntries(named), history, attempts };
}

function ownPrompts({ scenarios }: AskedWith): ReadonlyMap<string, Value> {
  return new Map(scenarios.map(({ id, system_prompt }) => [`scenarios.${id}.system_prompt`, system_prompt ?? null]));
}
