import type { ChangedInteraction } from "../../src/contract/schemas/comparison.ts";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { formatEffect } from "../parts/format-effect.ts";
import { formatScore, scoreLabel } from "../parts/format.ts";
import { turnQuestions } from "../parts/turn-questions.ts";
import { changeLooks, directionOf } from "./change-direction.ts";
import { repliesTo, type FoundReply } from "./find-reply.ts";

interface Side {
  readonly name: "baseline" | "candidate";
  readonly results: EvaluationResponse;
  /** The reply that is shown, whose reasons are told. */
  readonly shown: FoundReply | null;
}

interface ScoreChangesProps {
  readonly change: ChangedInteraction;
  readonly baseline: Side;
  readonly candidate: Side;
}

/** Which scores of a turn make its change, what got worse first, with what was said of the reply on the lower side. */
export function ScoreChanges({ change, baseline, candidate }: ScoreChangesProps) {
  const before = meansOf(baseline.results, change);
  const after = meansOf(candidate.results, change);
  const changes = [...after]
    .flatMap(([name, value]) => {
      const earlier = before.get(name);
      return earlier === undefined ? [] : [{ name, earlier, value, difference: value - earlier }];
    })
    .filter((entry) => entry.name !== change.score && directionOf(entry) !== "alike")
    .toSorted((left, right) => left.difference - right.difference);
  if (changes.length === 0) return null;
  const questions = turnQuestions(candidate.shown?.turn.checks);
  return (
    <ul aria-label="Scores that changed" className="grid gap-1 text-sm lg:col-span-3">
      {changes.map(({ name, earlier, value, difference }) => {
        const { mark, className } = changeLooks[directionOf({ difference })];
        const lower = difference < 0 ? candidate : baseline;
        const reason = lower.shown?.turn.score_reasons[name];
        return (
          <li key={name} className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-3">
            <span className={`tabular-nums ${className}`}>
              {mark} {formatEffect(difference)}
            </span>
            <span className="verbatim min-w-0">
              <span className="font-medium">{scoreLabel(name)}</span>
              {questions.has(name) && (
                <span>
                  {" "}
                  <q>{questions.get(name)}</q>
                </span>
              )}{" "}
              <span className="tabular-nums">
                {formatScore(earlier)} → {formatScore(value)}
              </span>
              {reason && (
                <span className="text-soft">
                  {" "}
                  {lower.name}: {reason}
                </span>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** The mean of each score over the attempts that have it. */
function meansOf(results: EvaluationResponse, change: ChangedInteraction): ReadonlyMap<string, number> {
  const values = Map.groupBy(
    repliesTo(results, change).flatMap(({ turn }) => Object.entries(turn.scores)),
    ([name]) => name,
  );
  return new Map(
    [...values].map(([name, entries]) => [name, entries.reduce((sum, [, value]) => sum + value, 0) / entries.length]),
  );
}
