import { useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import type { ThreadMessage } from "../../src/contract/schemas/agent/agent-message.ts";
import { deleteAgentThread, fetchAgentThread } from "../api/agent-runs.ts";
import { fromSegment } from "../parts/address/paths.ts";
import { usePathSegments } from "../parts/address/search-state.ts";
import { ConfirmDialog } from "../parts/screen/dialogs.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { formatCount } from "../parts/text/format.ts";
import { VerbatimText } from "../parts/text/verbatim-text.tsx";
import { AgentRunTable, useAgentRuns } from "./agent-runs-screen.tsx";
import { isUnderWay } from "./run-facts.tsx";

/** One stored conversation and the runs that wrote it. */
export function AgentThreadScreen() {
  const id = fromSegment(usePathSegments()[2] ?? "");
  const runs = useAgentRuns({ thread_id: id }).data?.pages.flatMap((page) => page.runs) ?? [];
  // A turn that ends adds its messages: the conversation is then loaded again.
  const ended = runs.filter(({ state }) => !isUnderWay(state)).length;
  const thread = useQuery({
    queryKey: ["agent-thread", id, ended],
    queryFn: ({ signal }) => fetchAgentThread(id, signal),
    placeholderData: (shown) => (shown?.id === id ? shown : undefined),
  });
  const [asking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  return (
    <Screen
      title={`Thread ${id}`}
      heading={
        <>
          Thread <span className="mono break-all">{id}</span>
        </>
      }
      actions={
        thread.data && (
          <button type="button" className="button button-danger" onClick={() => setAsking(true)}>
            <Trash2 aria-hidden size={15} /> Delete
          </button>
        )
      }
    >
      {thread.isPending && <Skeleton rows={6} label="Loading the thread" />}
      {thread.isError && <FailedNotice error={thread.error} onRetry={() => void thread.refetch()} />}
      {thread.data && (
        <section aria-label="Conversation" className="panel grid grid-cols-[minmax(0,1fr)] divide-y divide-line">
          {thread.data.messages.map((message, index) => (
            <MessageItem key={index} message={message} />
          ))}
        </section>
      )}
      {runs.length > 0 && (
        <section className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <h2 className="text-base font-semibold">{formatCount(runs.length, "run")} of this thread</h2>
          <AgentRunTable runs={runs} />
        </section>
      )}
      {asking && (
        <ConfirmDialog
          title="Delete this thread?"
          words={["Delete", "Deleting …"]}
          onConfirm={() => deleteAgentThread(id)}
          onDone={() => navigate("/agents?view=threads")}
          onClose={() => setAsking(false)}
        >
          The conversation “{id}” and its recorded runs will be deleted permanently.
        </ConfirmDialog>
      )}
    </Screen>
  );
}

const speakers: Readonly<Record<ThreadMessage["type"], string>> = {
  human: "User",
  ai: "Agent",
  tool: "Tool",
  system: "System",
};

function MessageItem({ message }: { message: ThreadMessage }) {
  const calls = message.type === "ai" ? (message.tool_calls ?? []) : [];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1 px-4 py-3 text-sm">
      <span className="text-xs font-semibold text-soft">
        {speakers[message.type]}
        {message.type === "tool" && message.name && ` · ${message.name}`}
      </span>
      {(message.content !== "" || calls.length === 0) && <VerbatimText text={message.content} />}
      {calls.map((call, index) => (
        <pre key={index} className="mono verbatim rounded bg-sunken p-2">
          {call.name}({JSON.stringify(call.args)})
        </pre>
      ))}
    </div>
  );
}
