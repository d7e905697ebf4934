import { formatFigure } from "../../../base/numbers.ts";
import type { UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import { prepareText } from "../../text/prepare-text.ts";
import { builtInScorers } from "../built-in-scorers.ts";
import type { ReplyCheck } from "../scorer.ts";

type Setting = Extract<UserScorerSetting, { type: "similarity" }>;

/** The value of a built-in score; with a threshold, 1 when it is reached. */
export function similarityCheck({ metric, reference, threshold }: Setting): ReplyCheck {
  const score = builtInScorers[metric];

  return (input) => {
    // Prepared for each reply: caching it would keep the references of a thousand turns in memory.
    const references = reference === undefined ? input.references : [prepareText(reference)];
    const [measured] = score({ ...input, references });
    const { value = null, reason = "", failed } = measured ?? {};
    if (value === null) return { value, reason, ...(failed && { failed }) };
    const detail = `${metric} ${formatFigure(value)} (${reason})`;
    if (threshold === undefined) return { value, reason: detail };
    return value >= threshold
      ? { value: 1, reason: detail }
      : { value: 0, reason: `${detail}, at least ${threshold} asked` };
  };
}
