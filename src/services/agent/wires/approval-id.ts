import type { ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import { firstCharacters } from "../../../base/text.ts";

/** How an approval is named to clients that answer in the conversation: the run that waits, and the call. */
export function toApprovalId(runId: string, callId: string): string {
  return `${runId}:${callId}`;
}

/** Null where the text is no such name. */
export function fromApprovalId(id: string): { readonly runId: string; readonly callId: string } | null {
  const colon = id.indexOf(":");
  return colon === -1 ? null : { runId: id.slice(0, colon), callId: id.slice(colon + 1) };
}

/** As much as POST /agent/runs/{run_id}/resume takes. The rest is cut off, and never in the middle of a sign: providers refuse half of one. */
const longestReason = 2000;

/** What a person said to it. */
export function toDecision({
  approved,
  reason,
}: {
  readonly approved?: boolean | undefined;
  readonly reason?: string | null | undefined;
}): ApprovalDecision {
  if (approved === true) return "approve";
  return reason ? { deny: firstCharacters(reason, longestReason) } : "deny";
}
