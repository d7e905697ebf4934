import type { UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import { prepareText } from "../../text/prepare-text.ts";
import { builtInScorers } from "../built-in-scorers.ts";
import type { Check } from "./check.ts";

type Setting = Extract<UserScorerSetting, { type: "similarity" }>;

/** The value of a built-in score, or whether it reaches the threshold. */
export function similarity({ metric, reference, threshold }: Setting): Check {
  const score = builtInScorers[metric];

  return (input) => {
    // Prepared for each reply: a run keeps its checks, and a thousand turns have a thousand references.
    const references = reference === undefined ? input.references : [prepareText(reference)];
    const [measured] = score({ ...input, references });
    const { value = null, reason = "", failed } = measured ?? {};
    if (value === null) return { value, reason, ...(failed && { failed }) };
    const told = `${metric} ${value.toFixed(2)} (${reason})`;
    if (threshold === undefined) return { value, reason: told };
    return value >= threshold
      ? { value: 1, reason: told }
      : { value: 0, reason: `${told}, at least ${threshold} asked` };
  };
}
