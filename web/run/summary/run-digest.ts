import type { AttemptResult, EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import type { InteractionError } from "../../../src/contract/schemas/interaction-result.ts";
import { outcomePartLabel, scoreLabel } from "../../parts/runs/scores.ts";
import { callRows, faultText, type CallingTurn } from "../../parts/runs/tool-calls.ts";

interface TurnGroup {
  readonly count: number;
  /** Where the first one occurred. */
  readonly first: { readonly scenarioId: string; readonly attempt: number; readonly turn: number };
}

interface FailureGroup extends TurnGroup {
  readonly code: string;
  readonly example: InteractionError;
}

/** Replies without an overall score, or conversations without a verdict, for one reason. */
export interface UnscoredGroup extends TurnGroup {
  readonly reason: string;
}

/** Tool calls with the same fault, or attempts that missed the same part of their outcome. */
export interface FaultGroup extends TurnGroup {
  readonly fault: string;
  /** The reason of the first one. */
  readonly example: string;
}

/** All turns in aggregate: the distribution of each score, and the causes of missing replies and scores. */
export interface PageDigest {
  readonly turns: number;
  /** Per score, the number of turns in ten bins over 0..1. */
  readonly bins: ReadonlyMap<string, readonly number[]>;
  /** Most frequent first, as the other groups. */
  readonly failures: readonly FailureGroup[];
  readonly wrongCalls: readonly FaultGroup[];
  /** By part of the outcome. */
  readonly missed: readonly FaultGroup[];
  readonly unscored: readonly UnscoredGroup[];
  /** Conversations without a judge's verdict. */
  readonly unjudged: readonly UnscoredGroup[];
}

export interface DigestedTurn extends CallingTurn {
  readonly scenario_id: string;
  readonly attempt: number;
  readonly turn_index: number;
  readonly error: InteractionError | null;
  readonly scores: Readonly<Record<string, number>>;
  readonly score_reasons: Readonly<Record<string, string>>;
  /** On the last turn: the scores of the whole conversation. */
  readonly conversation?: AttemptResult["conversation"];
}

const binCount = 10;

/** The bin of a value; 1 belongs to the last bin. */
const binOf = (value: number): number => Math.min(binCount - 1, Math.max(0, Math.floor(value * binCount)));

/** Aggregates turns one by one without keeping them. */
export function createDigest() {
  const bins = new Map<string, number[]>();
  const failures = new Map<string, FailureGroup>();
  const wrongCalls = new Map<string, FaultGroup>();
  const missed = new Map<string, FaultGroup>();
  const unscored = new Map<string, UnscoredGroup>();
  const unjudged = new Map<string, UnscoredGroup>();
  let turns = 0;

  return {
    add({ scenario_id, attempt, turn_index, error, scores, score_reasons, conversation, ...turn }: DigestedTurn): void {
      turns += 1;
      for (const [name, value] of Object.entries(scores)) {
        const counts = bins.get(name) ?? Array.from({ length: binCount }, () => 0);
        counts[binOf(value)] = (counts[binOf(value)] ?? 0) + 1;
        bins.set(name, counts);
      }
      const first = { scenarioId: scenario_id, attempt, turn: turn_index };
      if (error) {
        const known = failures.get(error.code);
        failures.set(error.code, { code: error.code, example: error, first, ...known, count: (known?.count ?? 0) + 1 });
      } else if (scores["overall"] === undefined && score_reasons["overall"] !== undefined) {
        tally(unscored, { reason: whyUnscored(score_reasons["overall"], score_reasons), first });
      }
      for (const row of callRows(turn)) {
        const [mark] = row.marks;
        if (mark) countOutcome(wrongCalls, { fault: faultText(row), example: mark.reason, first });
      }
      for (const [part, example] of missedParts(conversation)) {
        countOutcome(missed, { fault: outcomePartLabel(part), example, first });
      }
      const reason = conversation && whyUnjudged(conversation);
      if (reason !== undefined) tally(unjudged, { reason, first: { ...first, turn: 0 } });
    },
    digest: (): PageDigest => ({
      turns,
      bins: new Map(bins),
      failures: mostFrequentFirst(failures.values()),
      wrongCalls: mostFrequentFirst(wrongCalls.values()),
      missed: mostFrequentFirst(missed.values()),
      unscored: mostFrequentFirst(unscored.values()),
      unjudged: mostFrequentFirst(unjudged.values()),
    }),
  };
}

function tally(groups: Map<string, UnscoredGroup>, { reason, first }: Omit<UnscoredGroup, "count">): void {
  const known = groups.get(reason);
  groups.set(reason, { reason, first, ...known, count: (known?.count ?? 0) + 1 });
}

function countOutcome(groups: Map<string, FaultGroup>, { fault, example, first }: Omit<FaultGroup, "count">): void {
  const known = groups.get(fault);
  groups.set(fault, { fault, example, first, ...known, count: (known?.count ?? 0) + 1 });
}

/** The parts of the outcome that an attempt missed, with their reasons. */
function missedParts(conversation: DigestedTurn["conversation"]): [string, string][] {
  return Object.entries(conversation?.scores ?? {}).flatMap(([name, value]) =>
    name.startsWith("outcome.") && value === 0
      ? [[name.slice("outcome.".length), conversation?.score_reasons[name] ?? ""]]
      : [],
  );
}

const mostFrequentFirst = <Group extends TurnGroup>(groups: Iterable<Group>): Group[] =>
  [...groups].toSorted((left, right) => right.count - left.count);

/** The reason for a missing overall score; if it names another missing score, with that score's reason. */
function whyUnscored(overall: string, reasons: Readonly<Record<string, string>>): string {
  const lost = Object.keys(reasons).find((name) => overall.startsWith(`${name} `));
  if (lost === undefined) return overall;
  return `${scoreLabel(lost)}${overall.slice(lost.length)}: ${bare(reasons[lost])}`;
}

/** The reason for the first missing score of a conversation; undefined if none is missing. */
function whyUnjudged({ scores, score_reasons }: NonNullable<DigestedTurn["conversation"]>): string | undefined {
  const lost = Object.keys(score_reasons).find((name) => scores[name] === undefined);
  return lost === undefined ? undefined : `${scoreLabel(lost)}: ${bare(score_reasons[lost])}`;
}

const bare = (reason = ""): string => reason.replace(/^unscored: /, "");

/** How many faults the lists of a digest hold together. */
export const countListed = ({ failures, missed, wrongCalls }: PageDigest): number =>
  [...failures, ...missed, ...wrongCalls].reduce((sum, { count }) => sum + count, 0);

/** The digest of a run whose results are all loaded. */
export function digestResults(results: EvaluationResponse): PageDigest {
  const { add, digest } = createDigest();
  for (const { scenario_id, attempts } of results.results.scenarios) {
    for (const { attempt, interactions, conversation } of attempts) {
      const last = interactions.at(-1);
      for (const turn of interactions) {
        add({ scenario_id, attempt, ...turn, conversation: turn === last ? conversation : undefined });
      }
    }
  }
  return digest();
}
