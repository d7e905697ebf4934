import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import { formatScore, scoreLabel } from "../parts/format.ts";
import { overallFirst } from "../parts/score-order.ts";
import { turnQuestions } from "../parts/turn-questions.ts";

/** Every score of a turn with its reason; a reason without a score says why there is none. */
export function ScoreList({ turn }: { turn: InteractionResult }) {
  const names = [...new Set([...Object.keys(turn.scores), ...Object.keys(turn.score_reasons)])].toSorted(overallFirst);
  if (names.length === 0) return <p className="text-sm text-soft">Not scored yet.</p>;
  const questions = turnQuestions(turn.checks);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <h3 className="text-xs font-semibold text-soft">Scores</h3>
      <ul className="grid gap-x-6 gap-y-1 text-sm lg:grid-cols-2">
        {names.map((name) => (
          <li key={name} className="grid grid-cols-[2.75rem_minmax(0,1fr)] items-baseline gap-2">
            <ScoreBar value={turn.scores[name]} />
            {/* All that a judge said stands below. */}
            <span className={`verbatim ${Object.hasOwn(turn.judgements ?? {}, name) ? "line-clamp-3" : ""}`}>
              {/* A label's name may be in another direction than the reason. */}
              <bdi className={name === "overall" ? "font-semibold" : "font-medium"}>{scoreLabel(name)}</bdi>
              {questions.has(name) && (
                <span>
                  {" "}
                  <q>{questions.get(name)}</q>
                </span>
              )}
              {turn.score_reasons[name] && <span className="text-soft"> {turn.score_reasons[name]}</span>}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function ScoreBar({ value }: { value: number | undefined }) {
  return (
    <span className="grid gap-0.5 text-right tabular-nums">
      <span className="font-medium">{formatScore(value)}</span>
      <span aria-hidden className="h-1 overflow-hidden rounded-full bg-sunken">
        <span className="block h-full bg-accent" style={{ width: `${(value ?? 0) * 100}%` }} />
      </span>
    </span>
  );
}
