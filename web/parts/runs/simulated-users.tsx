import { UserRoundX } from "lucide-react";
import type { SimulatedUsers } from "../../../src/contract/schemas/acting/user-turn.ts";
import { formatCount, formatInteger, formatPercent, formatScore } from "../text/format.ts";

export const failureLabels: Readonly<Record<string, string>> = {
  no_answer: "gave no answer",
  off_goal: "did not pursue its goal",
  invented_fact: "invented a fact",
  spoke_as_agent: "spoke as the agent",
  repeated: "repeated itself",
};

/** The attempts that the simulated user spoiled, apart from the figures of the agent. */
export function SimulatedUsersNote({ users, label }: { users: SimulatedUsers; label?: string }) {
  const { attempts, failed, share, low, high, kinds, scores_with_failures, usage, limit, undecided } = users;
  const lead = label === undefined ? "" : `${label}: `;
  const tokens = usage.calls === 0 ? "" : `, ${formatInteger(usage.usage.total_tokens)} tokens of the simulator`;
  if (failed === 0) {
    return (
      <p className="text-sm text-soft">
        {lead}
        {formatCount(attempts, "simulated conversation")}, all usable{tokens}
      </p>
    );
  }
  const counted = ["outcome", "overall"].filter((name) => scores_with_failures[name] !== undefined);
  return (
    <p className="flex items-start gap-1.5 text-sm text-warn">
      <UserRoundX aria-hidden size={15} className="mt-0.5 shrink-0" />
      <span>
        {lead}The simulated user failed in {formatInteger(failed)} of {formatCount(attempts, "conversation")} (
        {formatPercent(share)}, 95 % interval {formatPercent(low)} to {formatPercent(high)}):{" "}
        {Object.entries(kinds)
          .map(([kind, count]) => `${failureLabels[kind] ?? kind} ${formatInteger(count)}×`)
          .join(", ")}
        . These attempts are in no other figure
        {undecided && limit !== undefined && `, and more than ${formatPercent(limit)} leave the run undecided`}
        {counted.length > 0 &&
          `; counted as 0, ${counted.map((name) => `${name} is ${formatScore(scores_with_failures[name])}`).join(" and ")}`}
        {tokens}.
      </span>
    </p>
  );
}
