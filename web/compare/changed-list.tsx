import { useState } from "react";
import type { ChangedInteraction, RunComparison } from "../../src/contract/schemas/comparison.ts";
import { formatCount, formatEffect, formatInteger, formatScore } from "../parts/text/format.ts";
import { scoreLabel } from "../parts/runs/scores.ts";
import { SegmentedControl } from "../parts/forms/segmented-control.tsx";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { changeDirection, changeStyles, countChanges } from "./changes.ts";
import { ThreeWay } from "./three-way.tsx";

const shows = ["all", "worse", "better"] as const;

/** Turns whose score changed, regressions first; each expands to reference, baseline and candidate. */
export function ChangedList({ comparison }: { comparison: RunComparison }) {
  const [params] = useSearchState();
  const show = shows.find((value) => value === params.get("show")) ?? "all";
  const { changed, regressions, improvements } = comparison;
  if (changed.length === 0)
    return <p className="panel p-4 text-soft">No turn's {comparedScores(comparison)} changed.</p>;
  const shown = changed.filter((change) => show === "all" || changeDirection(change) === show);
  const counts = countChanges(comparison);
  const labels = {
    all: "all",
    worse: `lower ${formatInteger(counts.worse)}`,
    better: `higher ${formatInteger(counts.better)}`,
  };
  return (
    <section aria-label="Changed turns" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <h2 id={changedTurnsId} tabIndex={-1} className="text-base font-semibold">
          Changed turns
        </h2>
        <SegmentedControl
          legend="Changes to show"
          segments={shows.map((value) => ({ value, label: labels[value] }))}
          value={show}
          onChange={(value) => changeSearch({ show: value === "all" ? null : value })}
        />
        {regressions + improvements > changed.length && (
          <span className="text-sm text-soft">showing the {formatCount(changed.length, "largest", "largest")}</span>
        )}
      </div>
      {shown.length === 0 ? (
        <p className="panel p-4 text-soft">No turn scored {show === "worse" ? "lower" : "higher"}.</p>
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

/** The scores that turns are compared by, if both runs have them. */
const comparedScores = ({ scores }: RunComparison): string =>
  ["overall", "success"]
    .filter((compared) => scores.some(({ name }) => name === compared))
    .map(scoreLabel)
    .join(" or ");

interface ChangedItemProps {
  readonly change: ChangedInteraction;
  readonly comparison: RunComparison;
  /** The worst change is expanded. */
  readonly first: boolean;
}

function ChangedItem({ change, comparison, first }: ChangedItemProps) {
  const [open, setOpen] = useState(first);
  const { mark, className } = changeStyles[changeDirection(change)];
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
            {scoreLabel(change.score)} {formatScore(change.baseline)} → {formatScore(change.candidate)}
          </span>
        </summary>
        {open && <ThreeWay change={change} comparison={comparison} />}
      </details>
    </li>
  );
}

const changedTurnsId = "changed-turns";

/** Counts the changed turns and links to them: on a phone they are screens below the verdict. */
export function ChangesLink({ comparison }: { comparison: RunComparison }) {
  const { worse, better } = countChanges(comparison);
  if (worse + better === 0) return null;
  return (
    <a
      href={`#${changedTurnsId}`}
      className="link"
      onClick={(event) => {
        event.preventDefault();
        const heading = document.getElementById(changedTurnsId);
        heading?.scrollIntoView();
        heading?.focus({ preventScroll: true });
      }}
    >
      {formatCount(worse, "turn")} scored lower, {formatInteger(better)} higher
    </a>
  );
}
