import { ShieldAlert, ShieldCheck } from "lucide-react";
import type { GateResult } from "../../src/contract/budget.ts";
import { formatCount, formatScore } from "../parts/format.ts";

/** Whether the run reached what it had to. */
export function GateBadge({ gate }: { gate: GateResult }) {
  const missed = gate.checks.filter((check) => !check.passed);
  const Icon = gate.passed ? ShieldCheck : ShieldAlert;
  const details = missed.map(
    ({ name, scenario_id, actual, required }) =>
      `${name}${scenario_id === undefined ? "" : ` of ${scenario_id}`}: ${formatScore(actual)}, needs ${formatScore(required)}`,
  );
  return (
    <span
      className={`inline-flex items-center gap-1 font-medium ${gate.passed ? "text-good" : "text-bad"}`}
      title={details.join("\n")}
    >
      <Icon aria-hidden size={14} />
      {gate.passed ? "gate passed" : `gate failed: ${formatCount(missed.length, "check")}`}
    </span>
  );
}
