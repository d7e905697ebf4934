import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { BookPlus, CircleCheck, History, TriangleAlert } from "lucide-react";
import { useRef, useState } from "react";
import { Link } from "wouter";
import type { AgentRunDetails } from "../../src/contract/schemas/agent/agent-run.ts";
import type { AgentReplay } from "../../src/contract/schemas/agent/agent-stream.ts";
import { resumeAnswer, type Decisions } from "../api/agent.ts";
import { fetchAgentRun, replayAgentRun, saveRunAsScenario } from "../api/agent-runs.ts";
import { isAuthError, toApiError } from "../api/api-error.ts";
import { isDisconnected } from "../api/connection.ts";
import { ApprovalList } from "../chat/approvals.tsx";
import { ReplyText } from "../markdown/reply-text.tsx";
import { agentThreadPath, fromSegment, scenarioPath } from "../parts/address/paths.ts";
import { passFocusTo } from "../parts/browser/focus.ts";
import { usePathSegments } from "../parts/address/search-state.ts";
import { useModelName } from "../parts/runs/model-names.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { formatCount, formatDate, formatDuration, formatMoney } from "../parts/text/format.ts";
import { VerbatimText } from "../parts/text/verbatim-text.tsx";
import { AgentRunBadge, isUnderWay, tokensText, wireLabels } from "./run-facts.tsx";
import { RunTimeline } from "./run-timeline.tsx";
import { toTimeline, type WaitingCall } from "./timeline.ts";

const pollMs = 1000;

/** One run of the agent as a timeline. Loaded again every second until it has ended. */
export function AgentRunScreen() {
  const id = fromSegment(usePathSegments()[1] ?? "");
  const run = useQuery({
    queryKey: ["agent-run", id],
    queryFn: ({ signal }) => fetchAgentRun(id, signal),
    refetchInterval: ({ state: { data, error } }) =>
      data && isUnderWay(data.state) && !isAuthError(error) && !isDisconnected() ? pollMs : false,
  });
  const nameOf = useModelName();
  const replay = useMutation({ mutationFn: () => replayAgentRun(id) });
  const save = useMutation({ mutationFn: () => saveRunAsScenario(id) });
  const model = run.data ? nameOf(run.data.model_id) : "";
  const ended = run.data !== undefined && !isUnderWay(run.data.state);
  return (
    <Screen
      title={model === "" ? "Agent run" : `Agent run · ${model}`}
      heading={
        run.data && (
          <span className="flex flex-wrap items-baseline gap-x-3">
            <span className="mono break-all">{model}</span>
            <span className="text-sm font-normal" role="status">
              <AgentRunBadge state={run.data.state} />
            </span>
          </span>
        )
      }
      actions={
        ended && (
          <>
            <button
              type="button"
              className="button"
              title="Runs the recorded replies through the current agent. No model is called."
              aria-disabled={replay.isPending}
              onClick={() => replay.isPending || replay.mutate()}
            >
              <History aria-hidden size={15} /> {replay.isPending ? "Replaying …" : "Replay"}
            </button>
            <button
              type="button"
              className="button"
              aria-disabled={save.isPending}
              onClick={() => save.isPending || save.mutate()}
            >
              <BookPlus aria-hidden size={15} /> {save.isPending ? "Saving …" : "Save as scenario"}
            </button>
          </>
        )
      }
    >
      {run.isPending && <Skeleton rows={8} label="Loading the run" />}
      {run.isError && !run.data && <FailedNotice error={run.error} onRetry={() => void run.refetch()} />}
      {(save.error ?? replay.error) && <FailedNotice error={save.error ?? replay.error} />}
      {save.data && (
        <p role="status" className="flex flex-wrap items-center gap-2 rounded-lg bg-good-ground p-3 text-sm">
          <CircleCheck aria-hidden size={16} className="text-good" /> Saved with its replies as references.
          <Link href={scenarioPath(save.data.id)} className="link">
            Open the scenario
          </Link>
        </p>
      )}
      {replay.data && <ReplayResult replay={replay.data} />}
      {run.data && <RunDetails run={run.data} now={run.dataUpdatedAt} />}
    </Screen>
  );
}

/** `now` is when the run was loaded, so that the times of a run under way grow even while its log does not. */
function RunDetails({ run, now }: { run: AgentRunDetails; now: number }) {
  const steps = useRef<HTMLElement>(null);
  const start = run.log[0]?.type === "run-start" ? run.log[0] : null;
  const timeline = toTimeline(run.log, { state: run.state, now });
  const waiting = timeline.steps.findLast((step) => step.kind === "approval" && step.decisions === null);
  return (
    <>
      <p className="text-sm text-soft tabular-nums">
        {[
          formatCount(run.model_calls, "model call"),
          formatCount(run.tool_calls, "tool call"),
          tokensText(run) === "–" ? "tokens unknown" : `${tokensText(run)} tokens`,
          run.cost === null ? null : formatMoney(run.cost),
          run.duration_ms === null ? null : formatDuration(run.duration_ms),
          wireLabels[run.wire],
          formatDate(new Date(run.created_at).toISOString()),
        ]
          .filter((fact) => fact !== null)
          .join(" · ")}
        {run.thread_id !== null && (
          <>
            {" · thread "}
            <Link href={agentThreadPath(run.thread_id)} className="link mono break-all">
              {run.thread_id}
            </Link>
          </>
        )}
      </p>
      {run.error && (
        <p role="alert" className="flex items-start gap-2 rounded-lg border border-bad bg-bad-ground p-3 text-sm">
          <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-bad" />
          <span className="verbatim">
            {run.error.detail} <span className="mono text-soft">{run.error.code}</span>
          </span>
        </p>
      )}
      {waiting?.kind === "approval" && waiting.calls.length > 0 && (
        <Approval key={run.log.length} run={run} calls={waiting.calls} focusNext={() => steps.current} />
      )}
      {start && <Conversation messages={start.messages} />}
      <section ref={steps} tabIndex={-1} aria-label="Steps" className="grid grid-cols-[minmax(0,1fr)] gap-2">
        <h2 className="text-base font-semibold">Steps</h2>
        <RunTimeline timeline={timeline} live={run.state === "running"} />
      </section>
      {run.text !== null && run.text !== "" && (
        <section aria-label="Answer" className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4">
          <h2 className="text-base font-semibold">Answer</h2>
          <ReplyText text={run.text} />
        </section>
      )}
    </>
  );
}

type StartMessages = Extract<AgentRunDetails["log"][number], { type: "run-start" }>["messages"];

/** The messages the run began with; all but the last are folded. */
function Conversation({ messages }: { messages: StartMessages }) {
  const last = messages.at(-1);
  const earlier = messages.slice(0, -1);
  if (!last) return null;
  return (
    <section aria-label="Conversation" className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4 text-sm">
      {earlier.length > 0 && (
        <details>
          <summary className="text-soft">{formatCount(earlier.length, "earlier message")}</summary>
          <ol className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-3">
            {earlier.map((message, index) => (
              <li key={index} className="grid grid-cols-[minmax(0,1fr)] gap-0.5">
                <MessageText message={message} />
              </li>
            ))}
          </ol>
        </details>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-0.5">
        <MessageText message={last} />
      </div>
    </section>
  );
}

const roleNames = { system: "System", user: "User", assistant: "Assistant", tool: "Tool" } as const;

function MessageText({ message }: { message: StartMessages[number] }) {
  return (
    <>
      <span className="text-xs font-semibold text-soft">
        {roleNames[message.role]}
        {message.role === "user" && message.images ? ` · ${formatCount(message.images, "image")}, not stored` : ""}
      </span>
      <VerbatimText text={message.content} />
    </>
  );
}

interface ApprovalProps {
  readonly run: AgentRunDetails;
  readonly calls: readonly WaitingCall[];
  /** Gets the focus when the run goes on and the buttons disappear. */
  readonly focusNext: () => HTMLElement | null;
}

/** Decides the waiting calls. The rest of the run is shown by polling. */
function Approval({ run, calls, focusNext }: ApprovalProps) {
  const client = useQueryClient();
  const [passFocus] = useState(() => passFocusTo(focusNext));
  const [failure, setFailure] = useState<ReturnType<typeof toApiError>>();
  const decide = async (decisions: Decisions): Promise<void> => {
    try {
      const { signal } = new AbortController();
      for await (const event of resumeAnswer(run.id, { decisions, signal })) {
        if (event.type !== "text") void client.invalidateQueries({ queryKey: ["agent-run", run.id] });
      }
    } catch (error) {
      setFailure(toApiError(error));
    }
    void client.invalidateQueries({ queryKey: ["agent-run", run.id] });
  };
  return (
    <div ref={passFocus}>
      <ApprovalList
        calls={calls.map(({ id, name, args }) => ({ id, name, args, type: "tool_call" as const }))}
        place={`${run.id} ${run.log.length}`}
        refusal={failure}
        onDecide={(decisions) => void decide(decisions)}
      />
    </div>
  );
}

function ReplayResult({ replay }: { replay: AgentReplay }) {
  const { matches, divergences } = replay;
  return (
    <div
      role="status"
      className={`grid gap-1 rounded-lg p-3 text-sm ${matches ? "bg-good-ground" : "bg-warn-ground text-warn"}`}
    >
      <p className="flex items-center gap-2 font-medium">
        {matches ? (
          <CircleCheck aria-hidden size={16} className="text-good" />
        ) : (
          <TriangleAlert aria-hidden size={16} />
        )}
        {matches ? "The current agent takes the same steps." : "The current agent takes other steps:"}
      </p>
      {divergences.length > 0 && (
        <ul className="list-disc pl-8">
          {divergences.map((text, index) => (
            <li key={index} className="verbatim">
              {text}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
