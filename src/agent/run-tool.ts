import { firstCharacters } from "../base/text.ts";
import { untilAborted } from "../base/deadline.ts";
import type { AgentRun } from "./agent-run.ts";
import type { ToolRun } from "./agent-outcome.ts";
import { unknownOutcome, type CallEnd, type CallJournal } from "./call-journal.ts";
import { capBytes } from "./cap-text.ts";
import type { RunnableCall } from "./read-tool-call.ts";
import { createTimeLimit, type TimeLimit } from "./time-limit.ts";
import { ToolError } from "./tool.ts";

/** Carries out one call. A tool that fails or takes too long is a result too; rejects only when the caller aborts. */
export async function runTool(run: AgentRun, call: RunnableCall, deadline: TimeLimit): Promise<ToolRun> {
  const { id, name, args, echo } = call;
  const { journal } = run;
  run.signal.throwIfAborted();
  run.emit({ type: "tool-start", tool_call: { id, name, args }, ...(echo && { echo }) });
  const ended = await (journal ? carryOutOnce(run, call, { deadline, journal }) : carryOut(run, call, deadline));
  const toolRun = { id, name, args, ...ended };
  run.emit({ type: "tool-end", tool_call: toolRun });
  return toolRun;
}

/** What has ended before the run was taken up again is not done again, nor is what may have. */
async function carryOutOnce(
  run: AgentRun,
  call: RunnableCall,
  { deadline, journal }: { deadline: TimeLimit; journal: CallJournal },
): Promise<CallEnd> {
  const known = await journal.begin(call.id);
  if (known === "unknown") return { ...unknownOutcome, duration_ms: 0 };
  if (known) return known;
  const ended = await carryOut(run, call, deadline);
  await journal.end(call.id, ended);
  return ended;
}

async function carryOut(run: AgentRun, call: RunnableCall, deadline: TimeLimit): Promise<CallEnd> {
  const startedAt = run.now();
  const ended = await settle(run, call, deadline, call.tool.timeoutMs ?? run.limits.toolTimeoutMs);
  return { ...ended, duration_ms: run.now() - startedAt };
}

async function settle(
  run: AgentRun,
  { tool, args }: RunnableCall,
  deadline: TimeLimit,
  timeoutMs: number,
): Promise<Pick<ToolRun, "ok" | "result">> {
  using limit = createTimeLimit({ signal: deadline.signal, ms: timeoutMs });
  try {
    limit.signal.throwIfAborted();
    const work = (async () => toText(await tool.run(args, { signal: limit.signal, now: run.now })))();
    const text = await untilAborted(work, limit.signal);
    return { ok: true, result: capBytes(text, run.limits.toolResultBytes) };
  } catch (error) {
    run.signal.throwIfAborted();
    if (deadline.expired) return { ok: false, result: "Stopped: the time of the run is over." };
    if (limit.expired) return { ok: false, result: `The tool did not answer within ${timeoutMs / 1000} s.` };
    return { ok: false, result: describeFailure(error) };
  }
}

function toText(result: unknown): string {
  if (typeof result === "string") return result;
  return JSON.stringify(result) ?? "";
}

const shownFailure = 300;
const shownToolError = 2000;

/** What was written for the model, else class and message, never the stack. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return "The tool failed.";
  if (error instanceof ToolError) return firstCharacters(error.message, shownToolError);
  const [message = ""] = firstCharacters(error.message, shownFailure).split(/\n\s+at /);
  return firstCharacters(`${error.name}: ${message}`, shownFailure);
}
