import { compact } from "../../base/compact.ts";
import { canonicalJson } from "../../base/json.ts";
import type { Interaction } from "../../contract/schemas/scenario.ts";
import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import { joinStandings, standingOf, type Standing } from "../../contract/schemas/outcome.ts";
import { callFigures } from "../../contract/schemas/margins.ts";
import { checkNames, memberNames } from "../../contract/schemas/scores/score-names.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";

/** Mean scores of one interaction over the attempts of a run. */
export interface TalliedInteraction {
  /** The question and expectations: only equal content is compared. */
  readonly content: string;
  readonly sums: Map<string, ScoreSum>;
  /** Duration and cost of the calls, by the names of `callFigures`. */
  readonly calls: Map<string, ScoreSum>;
  /** Every reply, for decisions, which count a missing one as 0. Absent where `sums` has every reply. */
  readonly decisive?: {
    /** Without the attempts in which the baseline gave no reply: they must not let a candidate pass. */
    readonly strict: CountedReplies;
    /** Of all attempts. */
    readonly even: CountedReplies;
  };
}

/** The scores of replies, and the number of replies that are missing. */
export interface CountedReplies {
  readonly sums: Map<string, ScoreSum>;
  missing: number;
}

/** The scores of one attempt, over its turns. */
interface TalliedAttempt {
  turns: number;
  /** Replies without a known price. */
  unpriced: number;
  /** The statements of its turns, taken together. */
  standing: Standing;
  readonly sums: Map<string, ScoreSum>;
}

export interface ScoreSum {
  sum: number;
  count: number;
  /** True when a value was neither 0 nor 1; the sum alone cannot tell. */
  fractional: boolean;
}

/** Scenario id → interaction id → scores. */
type TalliedScenarios = ReadonlyMap<string, ReadonlyMap<string, TalliedInteraction>>;

export interface TallyEntry {
  readonly scenario_id: string;
  readonly interaction: Interaction;
  /** Further expectations of the scenario that decide the scores of this turn. */
  readonly expectation?: unknown;
  readonly scores: Scores;
  readonly stated?: InteractionResult["stated"];
  readonly scoring_version: string;
  /** Number of the attempt. Default 1. */
  readonly attempt?: number | undefined;
  /** The scores of the conversation, passed with its last turn. */
  readonly conversation?: { readonly scores: Scores } | null | undefined;
  readonly call?: { readonly latency_ms: number; readonly cost?: number | null | undefined } | null | undefined;
}

/** The scores of one run for a comparison. Memory grows with attempts only for the scores that are kept by attempt. */
export interface RunTally {
  add(entry: TallyEntry): void;
  readonly scenarios: TalliedScenarios;
  /** Scenario id → attempt → scores. Empty unless the tally keeps some by attempt. */
  readonly attempts: ReadonlyMap<string, ReadonlyMap<number, TalliedAttempt>>;
  /** Names of conversation scores, which are stored with the last turn. */
  readonly conversation_scores: ReadonlySet<string>;
  readonly scoring_versions: ReadonlySet<string>;
  /** Names of the scores of turn rubrics. */
  readonly rubric_scores: ReadonlySet<string>;
  /** Names given to turn checks. */
  readonly named_checks: ReadonlySet<string>;
}

interface RunTallyOptions {
  /** Replies that a compared run is missing; there only `success` counts. */
  readonly failed?: FailedReplies | undefined;
  /** The part of them that the baseline is missing, for a decision. Against a threshold there is none. */
  readonly unanswered?: FailedReplies | undefined;
  /** Scores and call figures to keep by attempt. */
  readonly byAttempt?: ReadonlySet<string> | undefined;
}

export function createRunTally({ failed, unanswered, byAttempt }: RunTallyOptions = {}): RunTally {
  const isMissingAny = unanswered !== undefined && (failed?.count ?? 0) > 0;
  const attempts = new Map<string, Map<number, TalliedAttempt>>();
  const scenarios = new Map<string, Map<string, TalliedInteraction>>();
  const scoring_versions = new Set<string>();
  const conversation_scores = new Set<string>();
  const rubric_scores = new Set<string>();
  const named_checks = new Set<string>();

  function addAttempt({ scenario_id, scores, stated, attempt = 1, conversation, call }: TallyEntry): void {
    const made = attempts.get(scenario_id) ?? new Map<number, TalliedAttempt>();
    attempts.set(scenario_id, made);
    const tallied: TalliedAttempt = made.get(attempt) ?? { turns: 0, unpriced: 0, standing: "silent", sums: new Map() };
    made.set(attempt, tallied);
    tallied.turns++;
    if (scores["success"] !== 0) tallied.standing = joinStandings([tallied.standing, standingOf({ stated, scores })]);
    const all = { ...scores, ...conversation?.scores, ...callScores(scores, call) };
    if (scores["success"] !== 0 && typeof call?.cost !== "number") tallied.unpriced++;
    addScores(tallied.sums, Object.fromEntries(Object.entries(all).filter(([name]) => byAttempt?.has(name))));
  }

  function begin({ scenario_id, interaction, expectation }: TallyEntry): TalliedInteraction {
    const tallied = compact({
      content: contentOf(interaction, expectation),
      sums: new Map(),
      calls: new Map(),
      decisive: isMissingAny ? { strict: noReplies(), even: noReplies() } : undefined,
    });
    const interactions = scenarios.get(scenario_id) ?? new Map<string, TalliedInteraction>();
    scenarios.set(scenario_id, interactions.set(interaction.id, tallied));
    for (const name of rubricNames(interaction)) rubric_scores.add(name);
    for (const { name, type, ...check } of interaction.checks ?? []) {
      if (name !== undefined) named_checks.add(name);
      if ("checks" in check) for (const member of memberNames(name ?? type, check.checks)) named_checks.add(member);
    }
    return tallied;
  }

  function addDecisive({ decisive }: TalliedInteraction, entry: TallyEntry): void {
    if (!decisive) return;
    const { scenario_id, interaction, scores, attempt = 1, conversation } = entry;
    const place = { scenario_id, interaction_id: interaction.id, attempt };
    const counted = (isLeftOut: boolean | undefined) => [decisive.even, ...(isLeftOut ? [] : [decisive.strict])];
    for (const replies of counted(unanswered?.has(place))) {
      if (scores["success"] === 0) replies.missing++;
      else addScores(replies.sums, scores);
    }
    for (const { sums } of counted(unanswered?.hasAttempt(place))) addScores(sums, conversation?.scores ?? {});
  }

  return {
    scenarios,
    attempts,
    scoring_versions,
    conversation_scores,
    rubric_scores,
    named_checks,
    add(entry) {
      const { scenario_id, interaction, scores, scoring_version, attempt = 1, conversation, call } = entry;
      scoring_versions.add(scoring_version);
      if (byAttempt) addAttempt(entry);
      const tallied = scenarios.get(scenario_id)?.get(interaction.id) ?? begin(entry);
      const isUnmatched = failed?.has({ scenario_id, interaction_id: interaction.id, attempt });
      addScores(tallied.sums, isUnmatched ? onlySuccess(scores) : scores);
      if (!isUnmatched) addScores(tallied.calls, callScores(scores, call));
      addDecisive(tallied, entry);
      if (!conversation) return;
      addScores(tallied.sums, conversation.scores);
      for (const name in conversation.scores) conversation_scores.add(name);
    },
  };
}

const noReplies = (): CountedReplies => ({ sums: new Map(), missing: 0 });

/** Rubrics are never scorers of a run, so only the turn's names matter. */
function rubricNames({ checks = [] }: Interaction): string[] {
  const names = checkNames(checks);
  return checks.flatMap((check, index) => {
    const name = names[index] ?? check.type;
    if (check.type !== "group") return check.type === "rubric" ? name : [];
    const members = memberNames(name, check.checks);
    const rubrics = check.checks.flatMap(({ type }, at) => (type === "rubric" ? (members[at] ?? []) : []));
    return rubrics.length > 0 ? [name, ...rubrics] : [];
  });
}

/** A call without a reply says nothing about the time and the cost of one. */
function callScores({ success }: Scores, call: TallyEntry["call"]): Scores {
  if (!call || success === 0) return {};
  const { latency_ms, cost } = call;
  return { [callFigures.latency]: latency_ms, ...(typeof cost === "number" && { [callFigures.cost]: cost }) };
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

function contentOf(interaction: Interaction, expectation: unknown): string {
  const { reference_reply, references = [], reference_metadata, reference_tool_calls, checks } = interaction;
  // Each attempt has other messages of a simulated user.
  const user_message = interaction.simulated ? "" : interaction.user_message;
  const labels = Object.entries(reference_metadata).toSorted(([left], [right]) => (left < right ? -1 : 1));
  const acting = reference_tool_calls || expectation ? [reference_tool_calls ?? null, expectation ?? null] : [];
  const isNested = checks !== undefined || acting.length > 0 || labels.some(([, value]) => typeof value === "object");
  // Equivalent for plain labels, and much faster.
  const toText = isNested ? canonicalJson : JSON.stringify;
  return toText([user_message, reference_reply, references, labels, ...(checks ?? []), ...acting]);
}

/** One reply of a run: a turn of an attempt. */
interface ReplyPlace {
  readonly scenario_id: string;
  readonly interaction_id: string;
  readonly attempt: number;
}

/**
 * Replies that failed in one of several compared runs. They are ignored in the others too: otherwise the means would be over
 * different attempts, and a run that fails often could look better than a complete run of the same model.
 */
export interface FailedReplies {
  add(reply: ReplyPlace & { readonly scores: Scores }): void;
  has(place: ReplyPlace): boolean;
  /** True when any reply of the attempt failed. */
  hasAttempt(place: Pick<ReplyPlace, "scenario_id" | "attempt">): boolean;
  readonly count: number;
}

export function createFailedReplies(): FailedReplies {
  const attempts = new Map<string, Set<number>>();
  const ofScenario = new Map<string, Set<number>>();
  const keyOf = ({ scenario_id, interaction_id }: ReplyPlace): string => `${scenario_id}\n${interaction_id}`;
  let count = 0;

  return {
    add({ scores, ...place }) {
      if (scores["success"] !== 0) return;
      const key = keyOf(place);
      const known = attempts.get(key) ?? new Set();
      attempts.set(key, known.add(place.attempt));
      const inScenario = ofScenario.get(place.scenario_id) ?? new Set();
      ofScenario.set(place.scenario_id, inScenario.add(place.attempt));
      count++;
    },
    has: (place) => count > 0 && (attempts.get(keyOf(place))?.has(place.attempt) ?? false),
    hasAttempt: ({ scenario_id, attempt }) => ofScenario.get(scenario_id)?.has(attempt) ?? false,
    get count() {
      return count;
    },
  };
}
