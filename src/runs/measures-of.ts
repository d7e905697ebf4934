import { createHash } from "node:crypto";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Measures } from "../contract/schemas/score.ts";
import { judgeQuestions } from "../evaluation/judges/judge-question.ts";
import { checkNames } from "../contract/schemas/score-names.ts";
import { canonicalJson } from "../base/json.ts";

/** What a run with these settings measures with. */
export function measuresOf({ weights, scorers, judge, labeller, label_rules }: RunSettings): Measures {
  return {
    overall: digest([weights ?? null, scorers ?? null]),
    weighted: weights !== undefined,
    checks: checksOf(scorers),
    judge: judge ? digest(judge) : null,
    judge_scores: judge ? judgeQuestions(judge).map(({ name }) => name) : [],
    labels: digest([labeller ?? null, label_rules ?? null]),
  };
}

/** The name is no part of what a check asks for. */
function checksOf(scorers: RunSettings["scorers"] = []): Record<string, string> {
  const names = checkNames(scorers);
  return Object.fromEntries(
    scorers.flatMap((setting, index) => {
      const name = names[index];
      return typeof setting === "string" || !name ? [] : [[name, digest({ ...setting, name: undefined })]];
    }),
  );
}

const digest = (value: unknown): string => createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 16);
