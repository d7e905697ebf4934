import type { RunComparison } from "../../../src/contract/schemas/comparison.ts";
import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Overall means by scenario and turn. */
function overallByTurn(
  run: EvaluationResponse,
): Map<string, { scenario: string; id: string; user: string; value: number }> {
  const turns = new Map<string, { scenario: string; id: string; user: string; values: number[] }>();
  for (const { scenario_id, attempts } of run.results.scenarios) {
    for (const turn of attempts.flatMap((attempt) => attempt.interactions)) {
      const key = `${scenario_id} ${turn.id}`;
      const entry = turns.get(key) ?? { scenario: scenario_id, id: turn.id, user: turn.user_message, values: [] };
      if (turn.scores["overall"] !== undefined) entry.values.push(turn.scores["overall"]);
      turns.set(key, entry);
    }
  }
  return new Map([...turns].map(([key, { values, ...turn }]) => [key, { ...turn, value: mean(values) }]));
}

/** A comparison of the contract's shape, with made-up certainty. */
export function fakeComparison(baseline: EvaluationResponse, candidate: EvaluationResponse): RunComparison {
  const before = overallByTurn(baseline);
  const after = overallByTurn(candidate);
  const changed = [...before].flatMap(([key, turn]) => {
    const other = after.get(key);
    if (!other || other.value === turn.value || Number.isNaN(other.value + turn.value)) return [];
    return [
      {
        scenario_id: turn.scenario,
        interaction_id: turn.id,
        user_message: turn.user,
        score: "overall",
        baseline: turn.value,
        candidate: other.value,
        difference: other.value - turn.value,
      },
    ];
  });
  const shared = [...before.keys()].filter((key) => after.has(key)).length;
  const comparable = shared > 0;
  const names = Object.keys(candidate.summary.average_scores).filter((name) => name in baseline.summary.average_scores);
  const scores = names.map((name): RunComparison["scores"][number] => {
    const left = baseline.summary.average_scores[name] ?? 0;
    const right = candidate.summary.average_scores[name] ?? 0;
    const effect = right - left;
    const verdict = Math.abs(effect) < 0.05 ? "no_difference_seen" : effect > 0 ? "better" : "worse";
    return {
      name,
      baseline: left,
      candidate: right,
      effect,
      ci_lower: effect - 0.05,
      ci_upper: effect + 0.05,
      ci_lower_adjusted: effect - 0.08,
      ci_upper_adjusted: effect + 0.08,
      p: 0.01,
      p_adjusted: 0.03,
      adjusted_for: names.length,
      scenarios: 4,
      interactions: shared,
      scenarios_better: 3,
      scenarios_worse: 1,
      detectable_effect: 0.1,
      scenarios_needed: 40,
      method: "t over 4 scenarios",
      verdict,
      sentence: `${name} is ${verdict} by ${Math.abs(effect).toFixed(3)} (95 % interval made up).`,
    };
  });
  const headline = scores.find((score) => score.name === "overall") ?? scores[0];
  const reason = comparable ? null : "The runs share no scenario and interaction ids.";
  const named = ({ run_id, test_name, model_id, endpoint, demo }: EvaluationResponse) => ({
    run_id,
    test_name,
    model_id,
    endpoint,
    demo,
  });
  return {
    comparable,
    reason,
    verdict: comparable ? (headline?.verdict ?? null) : null,
    sentence: reason ? `Not comparable. ${reason}` : (headline?.sentence ?? ""),
    baseline: named(baseline),
    candidate: named(candidate),
    settings:
      baseline.model_id === candidate.model_id
        ? []
        : [
            { setting: "model_id", baseline: baseline.model_id, candidate: candidate.model_id },
            { setting: "history", baseline: "generated", candidate: "both" },
            {
              setting: "system_prompt",
              baseline: "You are kind to customers.",
              candidate: "You are brief to customers.",
            },
            { setting: "parameters.temperature", baseline: null, candidate: 0.7 },
          ],
    scores: comparable ? scores : [],
    unpaired: { baseline_only: before.size - shared, candidate_only: after.size - shared, changed: 0 },
    notes: [],
    changed: changed.toSorted((left, right) => left.difference - right.difference),
    regressions: changed.filter(({ difference }) => difference < 0).length,
    improvements: changed.filter(({ difference }) => difference > 0).length,
  };
}
