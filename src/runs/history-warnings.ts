import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import type { Warning } from "../contract/schemas/problem.ts";
import { referenceReply } from "../evaluation/conversation.ts";

/** A turn without a reference has no place in a conversation along the references: the turns after it are asked as if it had never been. */
export function historyWarnings(
  { history, replay_first_bad_turn }: Pick<RunSettings, "history" | "replay_first_bad_turn">,
  scenarios: readonly Scenario[],
): readonly Warning[] {
  const isTaught = history === "reference" || history === "both";
  if (!isTaught && !replay_first_bad_turn) return [];
  const missing = scenarios
    .flatMap(({ interactions }) => interactions.slice(0, -1))
    .filter((turn) => referenceReply(turn) === null).length;
  if (missing === 0) return [];
  const turns = `${missing} ${missing === 1 ? "turn" : "turns"} without a reference reply`;
  return [
    {
      pointer: isTaught ? "/history" : "/replay_first_bad_turn",
      message: `leaves ${turns} out of the reference history that later turns are shown`,
    },
  ];
}
