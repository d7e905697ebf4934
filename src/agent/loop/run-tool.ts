import { compact } from "../../base/compact.ts";
import { Deadline, untilAborted } from "../../base/deadline.ts";
import { truncateText } from "../../base/text.ts";
import { capBytes } from "../messages/tool-result.ts";
import { ToolError } from "../tools/tool.ts";
import type { ToolRun } from "./agent-outcome.ts";
import type { AgentRun, ToolCallEnd, CallJournal } from "./agent-run.ts";
import type { RunnableCall } from "./resolve-tool-calls.ts";

/** Runs one tool call. A tool that fails or takes too long gives a result too; rejects only when the caller aborts. */
export async function runTool(run: AgentRun, call: RunnableCall, deadline: Deadline): Promise<ToolRun> {
  const { id, name, args, echo } = call;
  const { journal } = run;
  run.signal.throwIfAborted();
  run.emit(compact({ type: "tool-start", tool_call: { id, name, args }, echo }));
  const ended = await (journal ? executeOnce(run, call, { deadline, journal }) : execute(run, call, deadline));
  const toolRun = { id, name, args, ...ended };
  run.emit({ type: "tool-end", tool_call: toolRun });
  return toolRun;
}

/** The result that the model reads for a call that began before a crash and may or may not have ended. */
const unknownOutcome: Pick<ToolRun, "ok" | "result"> = {
  ok: false,
  result:
    "It is not known whether this call was carried out: the service ended while it was under way, and has not repeated it. " +
    "Say so, and do not ask for it again unless the user wants it.",
};

async function executeOnce(
  run: AgentRun,
  call: RunnableCall,
  { deadline, journal }: { deadline: Deadline; journal: CallJournal },
): Promise<ToolCallEnd> {
  const known = await journal.begin(call);
  if (known === "unknown" && !call.tool.idempotent) return { ...unknownOutcome, duration_ms: 0 };
  if (known && known !== "unknown") return known;
  const ended = await execute(run, call, deadline);
  await journal.end(call.id, ended);
  return ended;
}

async function execute(run: AgentRun, call: RunnableCall, deadline: Deadline): Promise<ToolCallEnd> {
  const startedAt = run.now();
  const ended = await settle(run, call, deadline);
  return { ...ended, duration_ms: run.now() - startedAt };
}

async function settle(
  run: AgentRun,
  { tool, args }: RunnableCall,
  deadline: Deadline,
): Promise<Pick<ToolRun, "ok" | "result">> {
  const ms = tool.timeoutMs ?? run.limits.toolTimeoutMs;
  using limit = new Deadline({ signal: deadline.signal, ms });
  try {
    limit.signal.throwIfAborted();
    const work = (async () => toResultText(await tool.run(args, { signal: limit.signal, now: run.now })))();
    const text = await untilAborted(work, limit.signal);
    return { ok: true, result: capBytes(text, run.limits.toolResultBytes) };
  } catch (error) {
    run.signal.throwIfAborted();
    if (deadline.expired) return { ok: false, result: "Stopped: the time of the run is over." };
    if (limit.expired) return { ok: false, result: `The tool did not answer within ${ms / 1000} s.` };
    return { ok: false, result: describeToolFailure(error) };
  }
}

function toResultText(result: unknown): string {
  if (typeof result === "string") return result;
  return JSON.stringify(result) ?? "";
}

const shownFailure = 300;
const shownToolError = 2000;

/** The message of a `ToolError`, else class and message, never the stack. */
function describeToolFailure(error: unknown): string {
  if (!(error instanceof Error)) return "The tool failed.";
  if (error instanceof ToolError) return truncateText(error.message, shownToolError);
  const [message = ""] = truncateText(error.message, shownFailure).split(/\n[^\S\n]+at /);
  return truncateText(`${error.name}: ${message}`, shownFailure);
}
