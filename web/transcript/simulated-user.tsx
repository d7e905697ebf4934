import { useMutation } from "@tanstack/react-query";
import { Snowflake, UserRound, UserRoundX } from "lucide-react";
import { Link } from "wouter";
import type { AttemptResult } from "../../src/contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import type { UserEnd } from "../../src/contract/schemas/acting/user-turn.ts";
import { freezeConversation } from "../api/library.ts";
import { scenarioPath } from "../parts/address/paths.ts";
import { failureLabels } from "../parts/runs/simulated-users.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { formatDuration, formatInteger } from "../parts/text/format.ts";

const sources = { simulator: "simulated", opening: "opening of the scenario", recorded: "recorded" } as const;

/** Marks a message that is not part of the script, with the simulator's reason. */
export function UserTurnNote({ turn }: { turn: Pick<InteractionResult, "user_turn"> }) {
  const { user_turn } = turn;
  if (!user_turn) return null;
  const { source, why, helper_usage, latency_ms } = user_turn;
  const facts = [
    latency_ms !== undefined && formatDuration(latency_ms),
    helper_usage && `${formatInteger(helper_usage.usage.total_tokens)} tokens of the simulator`,
  ].filter(Boolean);
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-soft">
      <span className="inline-flex items-center gap-1 font-medium">
        <UserRound aria-hidden size={12} /> {sources[source]}
      </span>
      {why && <span className="verbatim">Why: {why}</span>}
      {facts.length > 0 && <span>{facts.join(" · ")}</span>}
    </p>
  );
}

const ends: Readonly<Record<UserEnd["ended"], string>> = {
  done: "The simulated user stopped here: goal reached",
  turns: "No turn was left: the user had not ended the conversation",
  recorded: "The recorded messages were sent",
  no_reply: "The agent gave no reply",
  failed: "The simulator failed",
};

interface UserEndPanelProps {
  readonly runId: string;
  readonly scenarioId: string;
  readonly attempt: AttemptResult;
}

/** How a conversation with a simulated user ended, with a button that makes a script of it. */
export function UserEndPanel({ runId, scenarioId, attempt }: UserEndPanelProps) {
  const { user } = attempt;
  const freeze = useMutation({ mutationFn: () => freezeConversation(runId, { scenarioId, attempt: attempt.attempt }) });
  if (!user) return null;
  const { ended, why, message, failure, review } = user;
  return (
    <section
      aria-label="Simulated user"
      className={`grid grid-cols-[minmax(0,1fr)] gap-1 rounded-md p-3 text-sm ${failure ? "bg-warn-ground" : "bg-accent-ground"}`}
    >
      <p className={`flex items-center gap-1.5 font-semibold ${failure ? "text-warn" : ""}`}>
        {failure ? <UserRoundX aria-hidden size={15} /> : <UserRound aria-hidden size={15} />}
        {failure ? `The simulated user ${failureLabels[failure.kind] ?? failure.kind}` : ends[ended]}
      </p>
      {failure && (
        <p className="verbatim">
          {failure.reason}
          {failure.found_by === "judge" && " (found by the judge)"}. This attempt is in no figure of the agent.
        </p>
      )}
      {message && <p className="verbatim text-soft">Unsent: “{message}”</p>}
      {why && <p className="verbatim text-soft">Why: {why}</p>}
      {review && !failure && <p className="verbatim text-soft">Judge: {review.reason}</p>}
      {attempt.interactions.some((turn) => turn.user_turn) && (
        <p className="no-print flex flex-wrap items-center gap-2 pt-1">
          <button type="button" className="button" disabled={freeze.isPending} onClick={() => freeze.mutate()}>
            <Snowflake aria-hidden size={14} /> Save as scenario
          </button>
          <span role="status">
            {freeze.data && (
              <Link href={scenarioPath(freeze.data)} className="link verbatim">
                {freeze.data} is in the library
              </Link>
            )}
          </span>
        </p>
      )}
      {freeze.isError && <FailedNotice error={freeze.error} />}
    </section>
  );
}
