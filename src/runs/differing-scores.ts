import type { RunRecord } from "../contract/store.ts";
import { judgeQuestions } from "../evaluation/judges/judge-question.ts";

interface Side {
  readonly run: RunRecord;
  readonly embedders: ReadonlySet<string>;
}

/** Scores that carry the same name in two runs but are not the same measure: another judge, another embedder, other weights. */
export function differingScores(baseline: Side, candidate: Side): { leaveOut: Set<string>; notes: string[] } {
  const leaveOut = new Set<string>();
  const notes: string[] = [];
  const leave = (names: readonly string[], why: string): void => {
    for (const name of names) leaveOut.add(name);
    notes.push(`${names.join(", ")} left out: ${why}.`);
  };
  const differs = (key: "weights" | "judge" | "labeller" | "label_rules" | "scorers") =>
    JSON.stringify(baseline.run.settings[key]) !== JSON.stringify(candidate.run.settings[key]);

  if (differs("judge")) {
    const names = [baseline, candidate].flatMap(({ run }) =>
      run.settings.judge ? judgeQuestions(run.settings.judge) : [],
    );
    leave(
      [...new Set([...names.map(({ name }) => name), "judge_rubrics", "overall"])],
      "the runs had different judges",
    );
  }
  if (!sameSet(baseline.embedders, candidate.embedders)) {
    leave(["semantic_similarity", "overall"], "the runs had different embedders or baselines");
  }
  if (differs("weights") || differs("scorers")) leave(["overall"], "the runs made it of different scores");
  if (differs("labeller") || differs("label_rules")) {
    notes.push("The runs labelled replies in different ways; scores of metadata differ for that reason too.");
  }
  return { leaveOut, notes };
}

function sameSet(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return left.size === right.size && [...left].every((entry) => right.has(entry));
}
