import { ServiceError } from "../../contract/errors/errors.ts";
import { missingResult } from "../messages/history.ts";
import type { ToolArguments } from "../tools/tool.ts";
import { finishAgentRun } from "./agent-loop.ts";
import type { AgentOutcome, PendingCall, PendingRun } from "./agent-outcome.ts";
import { AgentRun, type AgentRunOptions } from "./agent-run.ts";
import { toToolCall, type ResolvedCall } from "./resolve-tool-calls.ts";

/** The decision about one call: `deny` may carry a reason, `args` replace the arguments of an approved call. */
export type ApprovalDecision =
  | "approve"
  | "deny"
  | { readonly deny: string }
  | { readonly args?: ToolArguments | undefined };

export function isDenial(decision: ApprovalDecision): boolean {
  return decision === "deny" || (typeof decision === "object" && "deny" in decision);
}

interface ResumeOptions extends Omit<AgentRunOptions, "messages"> {
  readonly pending: PendingRun;
  /** One entry for each call that waits for approval, by its id. */
  readonly decisions: Readonly<Record<string, ApprovalDecision>>;
}

/**
 * Continues a run that waited for approval. Calls and their arguments come from `pending`, which only the server holds:
 * decisions about other ids are refused, and so are missing decisions. The model reads which calls were denied.
 * The caller must own `pending` exclusively, so that no approval counts twice; with a `journal`, a run whose process died
 * can be resumed again without repeating its calls.
 *
 * @example
 * const outcome = await resumeAgent({ pending, decisions: { call_1: "approve" }, model, tools, signal });
 */
export async function resumeAgent({ pending, decisions, ...options }: ResumeOptions): Promise<AgentOutcome> {
  const decided = new Map(Object.entries(decisions));
  checkDecisions(pending, decided);
  const run = AgentRun.restore(pending, options);
  const calls = pending.calls.map((call) => resolvePending(run, call, decided.get(call.id)));
  return finishAgentRun(run, { reply: pending.reply, calls });
}

const hint = "Send one decision for each call that waits for approval, and no others.";

function checkDecisions({ calls }: PendingRun, decided: ReadonlyMap<string, ApprovalDecision>): void {
  const waiting = calls.filter((call) => call.state === "approval").map((call) => call.id);
  const choice = `Calls that wait for approval: ${waiting.join(", ")}.`;
  for (const id of decided.keys()) {
    if (waiting.includes(id)) continue;
    throw new ServiceError(
      "validation_failed",
      `No call ${JSON.stringify(id.slice(0, 64))} waits for approval. ${choice}`,
      { hint },
    );
  }
  const missing = waiting.filter((id) => !decided.has(id));
  if (missing.length === 0) return;
  throw new ServiceError("validation_failed", `There is no decision about ${missing.join(", ")}. ${choice}`, { hint });
}

const notApproved = "it was not approved. Do not ask for it again; go on without it.";

function resolvePending(run: AgentRun, call: PendingCall, decision: ApprovalDecision | undefined): ResolvedCall {
  const asked = toToolCall(call);
  const declined = (reason: string): ResolvedCall => ({ kind: "declined", ...asked, reason });
  switch (call.state) {
    case "unusable":
      return { kind: "unusable", ...asked, sent: call.sent ?? "", error: call.error ?? "" };
    case "client":
      return declined(missingResult);
    case "answered":
      return { kind: "answered", ...asked, content: call.result ?? missingResult };
    case "free":
      return toRunnable(run, call, call.arguments);
    case "approval":
      if (decision === "approve") return toRunnable(run, call, call.arguments);
      // Anything else than an approval declines the call.
      if (typeof decision !== "object" || decision === null) return declined(notApproved);
      if ("deny" in decision) return declined(`it was not approved, for this reason: ${decision.deny}`);
      return toRunnable(run, call, approvedArguments(run, call, decision));
  }
}

function toRunnable(run: AgentRun, call: PendingCall, text: string): ResolvedCall {
  const asked = toToolCall(call);
  const tool = run.toolbox.own.get(call.name);
  if (!tool) return { kind: "declined", ...asked, reason: "the tool is no longer there." };
  const args = JSON.parse(text) as ToolArguments;
  const problem = tool.check(args);
  if (problem) return { kind: "declined", ...asked, reason: problem };
  return { kind: "runnable", ...asked, arguments: text, args, tool };
}

/** Invalid arguments from a person are refused here, because the model cannot repair them. */
function approvedArguments(
  run: AgentRun,
  { id, name, arguments: text }: PendingCall,
  { args }: { args?: ToolArguments | undefined },
): string {
  if (!args) return text;
  const problem = run.toolbox.own.get(name)?.check(args);
  if (problem) throw new ServiceError("validation_failed", `The arguments for ${id} do not fit ${name}: ${problem}`);
  return JSON.stringify(args);
}
