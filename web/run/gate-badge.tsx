import { ShieldAlert, ShieldCheck } from "lucide-react";
import type { GateResult } from "../../src/contract/schemas/budget.ts";
import { tellApart } from "../../src/base/numbers.ts";
import { formatCount, scoreLabel } from "../parts/format.ts";

type Check = GateResult["checks"][number];

/** Checks that ask for so much at most. */
const upperLimits: ReadonlySet<string> = new Set(["failure_rate", "unscored_rate"]);

/** Whether the run reached what it had to; unfolded, what it missed. */
export function GateBadge({ gate }: { gate: GateResult }) {
  const missed = gate.checks.filter((check) => !check.passed);
  if (gate.passed) {
    return (
      <span className="inline-flex items-center gap-1 font-medium text-good">
        <ShieldCheck aria-hidden size={14} /> gate passed
      </span>
    );
  }
  return (
    <details>
      <summary className="font-medium text-bad">
        <ShieldAlert aria-hidden size={14} className="mr-1 inline align-text-bottom" />
        gate failed: {formatCount(missed.length, "check")}
      </summary>
      <ul className="grid gap-0.5 pl-5 text-ink">
        {missed.map((check) => (
          <li key={`${check.name} ${check.scenario_id}`} className="verbatim list-disc tabular-nums">
            {describe(check)}
          </li>
        ))}
      </ul>
    </details>
  );
}

function describe({ name, scenario_id, actual, required }: Check): string {
  if (name === "finished_attempts") return `${scenario_id}: no attempt was finished`;
  const what = `${scenario_id === undefined ? "" : `${scenario_id}: `}${scoreLabel(name)}`;
  const limit = `${upperLimits.has(name) ? "at most" : "at least"} ${required}`;
  return `${what} ${actual === null ? "is not known" : tellApart(actual, required)}, must be ${limit}`;
}
