import type { Interaction } from "../../contract/schemas/scenario.ts";
import type { Scores } from "../../contract/schemas/score.ts";
import { canonicalJson } from "../../base/json.ts";
import { checkNames } from "../../contract/schemas/score-names.ts";
import type { FailedReplies } from "./failed-replies.ts";

/** Mean scores of one interaction over the attempts of a run. */
export interface TalliedInteraction {
  /** What was asked and expected. A comparison of different questions would say nothing. */
  readonly content: string;
  readonly sums: Map<string, ScoreSum>;
}

interface ScoreSum {
  sum: number;
  count: number;
  /** Whether one of them is anything but 0 and 1: twice a half adds up to a whole. */
  fractional: boolean;
}

/** scenario id → interaction id → what a run scored there. */
type TalliedScenarios = ReadonlyMap<string, ReadonlyMap<string, TalliedInteraction>>;

export interface TallyEntry {
  readonly scenario_id: string;
  readonly interaction: Interaction;
  readonly scores: Scores;
  readonly scoring_version: string;
  /** Which one of the scenario's. Default 1. */
  readonly attempt?: number | undefined;
  /** What was said of the whole conversation, with its last turn. */
  readonly conversation?: { readonly scores: Scores } | null | undefined;
}

/** One run, made ready to be compared: fed interaction by interaction, its memory does not grow with attempts. */
export interface RunTally {
  add(entry: TallyEntry): void;
  readonly scenarios: TalliedScenarios;
  /** Names of the scores that say something of a whole conversation. They stand with its last turn. */
  readonly conversation_scores: ReadonlySet<string>;
  readonly scoring_versions: ReadonlySet<string>;
  /** Names of the scores that a judge gave for rubrics of single turns. */
  readonly rubric_scores: ReadonlySet<string>;
  /** Names that checks of single turns were given. */
  readonly named_checks: ReadonlySet<string>;
}

/** `failed`: where a run that this one is compared with has no reply. Of what was said there `success` alone counts. */
export function createRunTally({ failed }: { failed?: FailedReplies | undefined } = {}): RunTally {
  const scenarios = new Map<string, Map<string, TalliedInteraction>>();
  const scoring_versions = new Set<string>();
  const conversation_scores = new Set<string>();
  const rubric_scores = new Set<string>();
  const named_checks = new Set<string>();

  return {
    scenarios,
    scoring_versions,
    conversation_scores,
    rubric_scores,
    named_checks,
    add({ scenario_id, interaction, scores, scoring_version, attempt = 1, conversation }) {
      scoring_versions.add(scoring_version);
      const interactions = scenarios.get(scenario_id) ?? new Map<string, TalliedInteraction>();
      scenarios.set(scenario_id, interactions);
      const tallied = interactions.get(interaction.id) ?? { content: contentOf(interaction), sums: new Map() };
      interactions.set(interaction.id, tallied);
      const isAlone = failed?.has({ scenario_id, interaction_id: interaction.id, attempt });
      addScores(tallied.sums, isAlone ? onlySuccess(scores) : scores);
      for (const name of rubricNames(interaction)) rubric_scores.add(name);
      for (const { name } of interaction.checks ?? []) if (name !== undefined) named_checks.add(name);
      if (!conversation) return;
      addScores(tallied.sums, conversation.scores);
      for (const name in conversation.scores) conversation_scores.add(name);
    },
  };
}

/** Rubrics are never among the scorers of a run, so their names are those of the turn alone. */
function rubricNames({ checks = [] }: Interaction): string[] {
  const names = checkNames(checks);
  return checks.flatMap(({ type }, index) => (type === "rubric" ? (names[index] ?? []) : []));
}

function onlySuccess({ success }: Scores): Scores {
  return success === undefined ? {} : { success };
}

function addScores(sums: TalliedInteraction["sums"], scores: Scores): void {
  for (const name in scores) {
    const value = scores[name] as number;
    const fractional = !Number.isInteger(value);
    const entry = sums.get(name);
    if (entry) {
      entry.sum += value;
      entry.count++;
      entry.fractional ||= fractional;
    } else sums.set(name, { sum: value, count: 1, fractional });
  }
}

function contentOf({
  user_message,
  reference_reply,
  references = [],
  reference_metadata,
  checks,
}: Interaction): string {
  const labels = Object.entries(reference_metadata).toSorted(([left], [right]) => (left < right ? -1 : 1));
  const isNested = checks !== undefined || labels.some(([, value]) => typeof value === "object");
  // The same text for labels that are plain, and a good deal quicker.
  const toText = isNested ? canonicalJson : JSON.stringify;
  return toText([user_message, reference_reply, references, labels, ...(checks ?? [])]);
}
