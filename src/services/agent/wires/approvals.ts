import type { ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import { truncateText } from "../../../base/text.ts";

/** The id of an approval on wires that answer inside the conversation: the waiting run and the call. */
export function toApprovalId(runId: string, callId: string): string {
  return `${runId}:${callId}`;
}

/** Null when the text is not an approval id. */
export function fromApprovalId(id: string): { readonly runId: string; readonly callId: string } | null {
  const colon = id.indexOf(":");
  return colon === -1 ? null : { runId: id.slice(0, colon), callId: id.slice(colon + 1) };
}

/** The limit of POST /agent/runs/{run_id}/resume. Longer reasons are cut between characters: providers reject half of one. */
const longestReason = 2000;

/** The decision of a person about one call. Anything but an explicit approval denies it. */
export function toDecision({
  approved,
  reason,
}: {
  readonly approved?: boolean | undefined;
  readonly reason?: string | null | undefined;
}): ApprovalDecision {
  if (approved === true) return "approve";
  return reason ? { deny: truncateText(reason, longestReason) } : "deny";
}
