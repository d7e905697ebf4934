import { ServiceError } from "../contract/errors.ts";
import { finishRun } from "./agent-loop.ts";
import type { AgentOutcome, PendingCall, PendingRun } from "./agent-outcome.ts";
import type { AgentRun, AgentRunOptions } from "./agent-run.ts";
import { missingResult } from "./pair-tool-messages.ts";
import { restoreRun } from "./pending-run.ts";
import type { ReadCall } from "./read-tool-call.ts";
import type { ToolArguments } from "./tool.ts";

/** What somebody decided about one call: `deny` may bring the reason, `args` are other arguments to approve it with. */
export type ApprovalDecision =
  | "approve"
  | "deny"
  | { readonly deny: string }
  | { readonly args?: ToolArguments | undefined };

/** Whether the call must not run. */
export function isDenial(decision: ApprovalDecision): boolean {
  return decision === "deny" || (typeof decision === "object" && "deny" in decision);
}

/** A run to go on with. `decisions` has one entry for each call that waits for approval, by its id. */
interface ResumeOptions extends Omit<AgentRunOptions, "messages"> {
  readonly pending: PendingRun;
  readonly decisions: Readonly<Record<string, ApprovalDecision>>;
}

/**
 * Goes on with a run that waited for approval. Calls and their arguments come from `pending`, which only the server
 * holds: a decision about an id that does not wait is refused, and so is a call nobody decided about. The model is told
 * what was denied. Whoever calls this must hold `pending` alone, so that no approval counts twice;
 * with a `journal`, a run whose process died is taken up again without repeating its calls.
 *
 * @example
 * const outcome = await resumeAgent({ pending, decisions: { call_1: "approve" }, model, tools, signal });
 */
export async function resumeAgent({ pending, decisions, ...options }: ResumeOptions): Promise<AgentOutcome> {
  const decided = new Map(Object.entries(decisions));
  refuseForged(pending, decided);
  const run = restoreRun(pending, options);
  const calls = pending.calls.map((call) => readPending(run, call, decided.get(call.id)));
  return finishRun(run, { reply: pending.reply, calls });
}

const hint = "Decide about every call that waits, and about no other.";

function refuseForged({ calls }: PendingRun, decided: ReadonlyMap<string, ApprovalDecision>): void {
  const waiting = calls.filter((call) => call.state === "approval").map((call) => call.id);
  const choice = `The calls that wait are: ${waiting.join(", ")}.`;
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
  throw new ServiceError("validation_failed", `Nothing was decided about ${missing.join(", ")}. ${choice}`, { hint });
}

function readPending(run: AgentRun, call: PendingCall, decision: ApprovalDecision | undefined): ReadCall {
  const { arguments: text } = call;
  const identity = identityOf(call);
  const declined = (reason: string): ReadCall => ({ kind: "declined", ...identity, arguments: text, reason });
  switch (call.state) {
    case "unusable":
      return { kind: "unusable", ...identity, arguments: text, sent: call.sent ?? "", error: call.error ?? "" };
    case "client":
      return declined(missingResult);
    case "answered":
      return { kind: "answered", ...identity, arguments: text, content: call.result ?? missingResult };
    case "free":
      return readApproved(run, call, text, declined);
    case "approval":
      if (decision === "approve") return readApproved(run, call, text, declined);
      // Whatever else arrives here is no approval.
      if (typeof decision !== "object" || decision === null) return declined(notApproved);
      if ("deny" in decision) return declined(`it was not approved, for this reason: ${decision.deny}`);
      return readApproved(run, call, toArguments(run, call, decision), declined);
  }
}

const notApproved = "it was not approved. Do not ask for it again; go on without it.";

function identityOf({ id, name, echo }: PendingCall): Pick<PendingCall, "id" | "name" | "echo"> {
  return { id, name, ...(echo && { echo }) };
}

function readApproved(
  run: AgentRun,
  call: PendingCall,
  text: string,
  declined: (reason: string) => ReadCall,
): ReadCall {
  const tool = run.toolbox.own.get(call.name);
  if (!tool) return declined("the tool is no longer there.");
  const args = JSON.parse(text) as ToolArguments;
  const problem = tool.check(args);
  if (problem) return declined(problem);
  return { kind: "runnable", ...identityOf(call), arguments: text, args, tool };
}

/** Arguments that a person changed must fit the tool; they are told here, since the model cannot repair them. */
function toArguments(
  run: AgentRun,
  { id, name, arguments: text }: PendingCall,
  { args }: { args?: ToolArguments | undefined },
): string {
  if (!args) return text;
  const problem = run.toolbox.own.get(name)?.check(args);
  if (problem) throw new ServiceError("validation_failed", `The arguments for ${id} do not fit ${name}: ${problem}`);
  return JSON.stringify(args);
}
