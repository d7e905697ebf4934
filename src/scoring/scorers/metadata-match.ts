import { defineScorer } from "./define-scorer.ts";
import type { LabelRule, LabelValue } from "./label-rule.ts";
import { matchValue, ownValue } from "./match-value.ts";
import type { GivenScore, ScorerInput } from "./scorer.ts";
import { shorten, shortList } from "../../base/format.ts";

/**
 * `metadata.<key>` for each expected key, and `metadata_match`, their mean. An expected key that was not generated scores 0,
 * unless its value could not be determined (`unjudged_keys`). Unexpected keys are ignored.
 */
export const metadataMatch = defineScorer({
  name: "metadata_match",
  help: "expected labels",
  byDefault: true,
  needs: ["labels"],
  states: true,
  score: (input) => {
    const keys = Object.keys(input.reference_metadata).filter((key) => !ruleOf(input, key).ignore);
    if (keys.length === 0) return [{ name: "metadata_match", value: null, reason: "no reference metadata" }];

    const scores = keys.map((key) => scoreKey(key, input));
    return [...scores, matchOfAll(keys, scores)];
  },
});

function ruleOf({ label_rules }: ScorerInput, key: string): LabelRule {
  return (label_rules && Object.hasOwn(label_rules, key) ? label_rules[key] : undefined) ?? {};
}

function scoreKey(key: string, input: ScorerInput): GivenScore {
  const { generated_metadata, reference_metadata, unjudged_keys } = input;
  const name = `metadata.${key}`;
  const expected = reference_metadata[key] as LabelValue;
  const generated = ownValue(generated_metadata, key);
  if (unjudged_keys.has(key)) {
    return { name, value: null, reason: "the endpoint sent no such label, and it cannot be derived from the reply" };
  }
  const rule = ruleOf(input, key);
  const value = matchValue(generated, expected, rule);
  const wrong = () => `${showGiven(generated, expected)}, expected ${show(expected)}`;
  return { name, value, reason: value === 1 ? rightReason(generated, expected, rule) : wrong() };
}

/** Shows the given value when it only matches by a tolerance or an alias. */
function rightReason(given: LabelValue | undefined, expected: LabelValue, rule: LabelRule): string {
  const isSame = Object.keys(rule).length === 0 || matchValue(given, expected) === 1;
  return isSame ? `is ${show(expected)}` : `${show(given)} counts as ${show(expected)}`;
}

function matchOfAll(keys: readonly string[], scores: readonly GivenScore[]): GivenScore {
  const values = scores.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length === 0) return { name: "metadata_match", value: null, reason: "no label could be judged" };

  const wrong = keys.filter((_, index) => (scores[index]?.value ?? 1) < 1);
  const matched = `${values.filter((value) => value === 1).length} of ${values.length} ${values.length === 1 ? "label matches" : "labels match"}`;
  return {
    name: "metadata_match",
    value: values.reduce((sum, value) => sum + value, 0) / values.length,
    reason: wrong.length > 0 ? `${matched}; not: ${shortList(wrong)}` : matched,
  };
}

/** Adds the type when only that differs: "8" where 8 is expected. */
function showGiven(given: LabelValue | undefined, expected: LabelValue): string {
  const text = show(given);
  return typeof given !== typeof expected && text === show(expected) ? `${text} (${typeof given})` : text;
}

function show(value: LabelValue | undefined): string {
  if (value === undefined) return "missing";
  return shorten(typeof value === "string" && value.trim() !== "" ? value : JSON.stringify(value));
}
