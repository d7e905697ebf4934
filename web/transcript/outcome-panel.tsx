import { CircleCheck, CircleMinus, CircleX, type LucideIcon } from "lucide-react";
import { useState } from "react";
import type { ExpectationResult, StateDifference } from "../../src/contract/schemas/acting/world.ts";
import { outcomePartLabel } from "../parts/runs/scores.ts";
import { expectedText, previewJson } from "../parts/runs/tool-calls.ts";
import { formatCount, formatInteger } from "../parts/text/format.ts";
import { ComparedValues, longestValue } from "./tool-calls.tsx";

const verdicts = {
  met: { icon: CircleCheck, label: "as expected", className: "text-good" },
  missed: { icon: CircleX, label: "not as expected", className: "text-bad" },
  undecided: { icon: CircleMinus, label: "undecided", className: "text-soft" },
} as const satisfies Record<string, { icon: LucideIcon; label: string; className: string }>;

const verdictOf = (passed: boolean | null): keyof typeof verdicts =>
  passed === null ? "undecided" : passed ? "met" : "missed";

const panelId = "outcome";

/** The requirements of the scenario after the last turn: each with its verdict, then the differences of the state. */
export function OutcomePanel({ outcome }: { outcome: ExpectationResult }) {
  const { value, parts, state_diff: differences = [] } = outcome;
  const { icon: Icon, label, className } = verdicts[verdictOf(value === null ? null : value === 1)];
  // Failed parts first: they are the reason.
  const ordered = parts.toSorted((left, right) => rank(left.passed) - rank(right.passed));
  return (
    <section
      id={panelId}
      tabIndex={-1}
      aria-label="Outcome"
      className={`panel grid scroll-mt-36 grid-cols-[minmax(0,1fr)] gap-3 p-4 ${value === 0 ? "border-bad" : ""}`}
    >
      <h2 className={`flex items-center gap-1.5 text-base font-semibold ${className}`}>
        <Icon aria-hidden size={16} className="shrink-0" /> Outcome {label}
      </h2>
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-1.5 text-sm">
        {ordered.map((part) => (
          <OutcomePart key={part.name} part={part} />
        ))}
      </ul>
      {differences.length > 0 && <StateDiff differences={differences} />}
    </section>
  );
}

const rank = (passed: boolean | null): number => (passed === false ? 0 : passed === null ? 1 : 2);

function OutcomePart({ part: { name, passed, reason } }: { part: ExpectationResult["parts"][number] }) {
  const { icon: Icon, label, className } = verdicts[verdictOf(passed)];
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)] items-baseline gap-x-2 sm:grid-cols-[1rem_11rem_minmax(0,1fr)]">
      <Icon aria-hidden size={14} className={`mt-0.5 self-start ${className}`} />
      <span className="font-medium">
        {outcomePartLabel(name)}
        <span className="sr-only"> {label}</span>
      </span>
      <span className={`verbatim max-sm:col-start-2 ${passed === false ? "" : "text-soft"}`}>{reason}</span>
    </li>
  );
}

/** Differences shown before the user asks for the rest. */
const maxDifferences = 10;

/** Only the places of the state that differ, each with the expected and the actual value. */
function StateDiff({ differences }: { differences: readonly StateDifference[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? differences : differences.slice(0, maxDifferences);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5 text-sm">
      <h3 className="text-xs font-semibold text-soft">
        Final state: {formatCount(differences.length, "difference")}
        {differences.length === 100 && " or more"}
      </h3>
      <ComparedValues
        subject="Place"
        missing={{ expected: "no value", actual: "no value" }}
        rows={shown.map(({ path, expected, actual }) => ({
          name: path === "" ? "(the whole state)" : path,
          isWrong: true,
          expected: expected === undefined ? null : (excerptOf(expected) ?? expectedText(expected, longestValue)),
          actual: actual === undefined ? null : (excerptOf(actual) ?? previewJson(actual, longestValue)),
        }))}
      />
      {shown.length < differences.length && (
        <button type="button" className="button justify-self-start" onClick={() => setAll(true)}>
          Show all {formatInteger(differences.length)} differences
        </button>
      )}
    </div>
  );
}

/** The stored beginning of a large value is JSON already; quoted once more, it could not be read. */
const excerptOf = (value: unknown): string | null =>
  typeof value === "string" && value.length >= 1_000 && /^[[{"]/.test(value) ? value : null;

/** The verdict above the turns, with a way to the reasons below them. */
export function OutcomeLine({ outcome: { value, parts } }: { outcome: ExpectationResult }) {
  const { icon: Icon, label, className } = verdicts[verdictOf(value === null ? null : value === 1)];
  const failed = parts.filter(({ passed }) => passed === (value === 0 ? false : null));
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1 text-sm">
      <span className={`inline-flex items-center gap-1 font-semibold ${className}`}>
        <Icon aria-hidden size={14} className="shrink-0" /> Outcome {label}
      </span>
      {value !== 1 && (
        <span className="verbatim min-w-0">
          {failed.map(({ name, reason }) => `${outcomePartLabel(name)}: ${reason}`).join("; ")}
        </span>
      )}
      <button
        type="button"
        className="link cursor-pointer"
        onClick={() => {
          const panel = document.getElementById(panelId);
          panel?.scrollIntoView();
          panel?.focus({ preventScroll: true });
        }}
      >
        Show the outcome
      </button>
    </p>
  );
}
