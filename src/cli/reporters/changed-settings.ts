import type { SettingChange } from "../../contract/schemas/comparison.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { settingChanges, type SettingsSide } from "../../runs/compare/setting-changes.ts";
import { plainLine } from "../terminal/plain-line.ts";

/** In which settings the model under test was asked otherwise. What the file of an older run does not tell is taken to be the same. */
export function changedSettings(baseline: EvaluationResponse, candidate: EvaluationResponse): SettingChange[] {
  return settingChanges(askedWith(baseline, candidate), askedWith(candidate, baseline));
}

function askedWith(of: EvaluationResponse, other: EvaluationResponse): SettingsSide {
  const { model_id, endpoint, system_prompt, history, results } = of;
  const { attempts = 1, adaptive } = of.attempts === undefined ? other : of;
  return {
    settings: {
      model_id,
      endpoint,
      protocol: of.protocol ?? other.protocol ?? "openai-chat",
      parameters: of.parameters ?? other.parameters,
      attempts,
      adaptive,
      system_prompt,
      history,
    },
    ownAgent: of.own_agent,
    scenarios: results.scenarios.map((scenario) => ({
      id: scenario.scenario_id,
      system_prompt: scenario.system_prompt,
    })),
  };
}

const shownLength = 80;

/** One line each. The model is left to whoever names it with the run. */
export function settingLines(changes: readonly SettingChange[]): string[] {
  return changes
    .filter(({ setting }) => setting !== "model_id")
    .map(({ setting, baseline, candidate }) => {
      const [before, after] = [valueText(baseline), valueText(candidate)];
      const from = firstDifference(before, after);
      return `${plainLine(setting, shownLength)}: ${shownFrom(before, from)} → ${shownFrom(after, from)}`;
    });
}

const valueText = (value: SettingChange["baseline"]): string => (value === null ? "not set" : JSON.stringify(value));

function firstDifference(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return at;
}

/** A text that is too long is shown from a little before where it differs: the beginning of two prompts is often the same. */
function shownFrom(text: string, difference: number): string {
  const from = text.length <= shownLength ? 0 : Math.max(0, difference - 20);
  return `${from > 0 ? "…" : ""}${plainLine(text.slice(from), shownLength)}`;
}
