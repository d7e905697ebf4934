import { useState } from "react";
import type { ChangedInteraction, RunComparison } from "../../src/contract/schemas/comparison.ts";
import { formatCount, formatInteger, formatScore } from "../parts/format.ts";
import { SegmentedChoice } from "../parts/segmented-choice.tsx";
import { changeSearch, useSearchState } from "../parts/use-search-state.ts";
import { formatEffect } from "../parts/format-effect.ts";
import { changedTurnsId } from "./changes-link.tsx";
import { changeLooks, countChanges, directionOf } from "./change-direction.ts";
import { ThreeWay } from "./three-way.tsx";

const shows = ["all", "worse", "better"] as const;

/** Turns whose score changed, regressions first; each opens into reference, baseline and candidate. */
export function ChangedList({ comparison }: { comparison: RunComparison }) {
  const [params] = useSearchState();
  const show = shows.find((value) => value === params.get("show")) ?? "all";
  const { changed, regressions, improvements } = comparison;
  if (changed.length === 0) return <p className="panel p-4 text-soft">No turn's {watchedWords(comparison)} changed.</p>;
  const shown = changed.filter((change) => show === "all" || directionOf(change) === show);
  const counts = countChanges(comparison);
  const labels = {
    all: "all",
    worse: `worse ${formatInteger(counts.worse)}`,
    better: `better ${formatInteger(counts.better)}`,
  };
  return (
    <section aria-label="Changed turns" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <h2 id={changedTurnsId} tabIndex={-1} className="text-base font-semibold">
          Changed turns
        </h2>
        <SegmentedChoice
          legend="Changes to show"
          segments={shows.map((value) => ({ value, label: labels[value] }))}
          value={show}
          onChange={(value) => changeSearch({ show: value === "all" ? null : value })}
        />
        {regressions + improvements > changed.length && (
          <span className="text-sm text-soft">the {formatCount(changed.length, "largest", "largest")} are listed</span>
        )}
      </div>
      {shown.length === 0 ? (
        <p className="panel p-4 text-soft">No turn got {show}.</p>
      ) : (
        <ul className="panel divide-y divide-line">
          {shown.map((change, index) => (
            <ChangedItem
              key={`${change.scenario_id} ${change.interaction_id}`}
              change={change}
              comparison={comparison}
              first={index === 0}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

/** What a change of a turn is told by, as far as both runs have it. The others are in the table. */
const watched = ["overall", "success"];

const watchedWords = ({ scores }: RunComparison): string =>
  watched.filter((watchedName) => scores.some(({ name }) => name === watchedName)).join(" or ");

interface ChangedItemProps {
  readonly change: ChangedInteraction;
  readonly comparison: RunComparison;
  /** The worst one stands open. */
  readonly first: boolean;
}

function ChangedItem({ change, comparison, first }: ChangedItemProps) {
  const [open, setOpen] = useState(first);
  const { mark, className } = changeLooks[directionOf(change)];
  return (
    <li>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary
          data-row=""
          className="grid grid-cols-[5.5rem_minmax(0,1fr)] items-baseline gap-x-3 px-4 py-2 sm:grid-cols-[5.5rem_minmax(0,1fr)_auto]"
        >
          <span className={`font-semibold tabular-nums ${className}`}>
            {mark} {formatEffect(change.difference)}
          </span>
          <span className="verbatim min-w-0">
            <span className="font-medium">{change.scenario_id}</span>{" "}
            <span className="text-soft">{change.user_message}</span>
          </span>
          <span className="text-sm whitespace-nowrap text-soft tabular-nums max-sm:col-start-2">
            {change.score} {formatScore(change.baseline)} → {formatScore(change.candidate)}
          </span>
        </summary>
        {open && <ThreeWay change={change} comparison={comparison} />}
      </details>
    </li>
  );
}
