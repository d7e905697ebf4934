import { CircleX, Loader, Wrench } from "lucide-react";
import { Fragment } from "react";
import { ReplyText } from "../markdown/reply-text.tsx";
import { formatCount, formatDuration } from "../parts/text/format.ts";
import type { DoneAnswer, ToolUse } from "./conversation.ts";

/** The tool calls of an answer in the order they came, each group below the text that the model wrote before it. */
export function ToolUseList({ tools, live }: { tools: readonly ToolUse[]; live: boolean }) {
  const groups: ToolUse[][] = [];
  for (const tool of tools) {
    const last = groups.at(-1);
    if (last && !tool.before) last.push(tool);
    else groups.push([tool]);
  }
  return groups.map((group, index) => (
    <Fragment key={index}>
      {group[0]?.before && <ReplyText text={group[0].before} />}
      <ToolUseGroup tools={group} live={live} />
    </Fragment>
  ));
}

/** Calls without text between them; unfolded while the answer streams in. */
function ToolUseGroup({ tools, live }: { tools: readonly ToolUse[]; live: boolean }) {
  const failed = tools.filter((tool) => !tool.ok && tool.decision !== "denied").length;
  const decisions = ["approved", "changed", "denied"] as const;
  return (
    <details className="rounded-md border border-line text-sm" open={live || undefined}>
      <summary className="px-3 py-1.5 text-soft">
        <Wrench aria-hidden size={13} className="mr-1.5 inline" />
        {formatCount(tools.length, "tool call")}
        <span className="verbatim">: {[...new Set(tools.map(({ name }) => name))].join(", ")}</span>
        {decisions.map((decision) => {
          const count = tools.filter((tool) => tool.decision === decision).length;
          return (
            count > 0 && (
              <span key={decision}>
                {" "}
                · {count === tools.length ? "" : `${count} `}
                {decisionText[decision]}
              </span>
            )
          );
        })}
        {failed > 0 && <span className="text-bad"> · {failed} failed</span>}
      </summary>
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-3 border-t border-line p-3">
        {tools.map((tool, index) => (
          <ToolUseItem key={index} tool={tool} live={live} />
        ))}
      </ol>
    </details>
  );
}

const decisionText = {
  approved: "approved by you",
  changed: "approved by you with changes",
  denied: "denied by you",
} as const;

function ToolUseItem({ tool, live }: { tool: ToolUse; live: boolean }) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <span className="flex flex-wrap items-center gap-x-2">
        <span className="verbatim font-medium">{tool.name}</span>
        {tool.decision && <span className="text-xs text-soft">{decisionText[tool.decision]}</span>}
        {tool.decision !== "denied" && <ToolState tool={tool} live={live} />}
      </span>
      <pre className="mono verbatim rounded bg-sunken p-2">{JSON.stringify(tool.args, null, 2)}</pre>
      {tool.result !== null && (
        <>
          <span className="text-xs text-soft">{tool.ok ? "Result" : "Error"}</span>
          <pre
            tabIndex={0}
            role="region"
            aria-label={`Result of ${tool.name}`}
            className="mono verbatim max-h-64 overflow-auto rounded bg-sunken p-2"
          >
            {tool.result || "(empty)"}
          </pre>
        </>
      )}
    </li>
  );
}

function ToolState({ tool, live }: { tool: ToolUse; live: boolean }) {
  if (tool.result === null && !live) return <span className="text-xs text-soft">not finished</span>;
  if (tool.result === null) {
    return (
      <span className="inline-flex items-center gap-1 text-xs text-accent">
        <Loader aria-hidden size={12} className="animate-spin" /> running
      </span>
    );
  }
  // A call that was refused or invalid has no duration.
  const run = tool.ok || (tool.milliseconds ?? 0) > 0;
  return (
    <span className={`inline-flex items-center gap-1 text-xs ${tool.ok ? "text-soft" : "text-bad"}`}>
      {!tool.ok && <CircleX aria-hidden size={12} />}
      {!tool.ok && run && "failed, "}
      {run ? formatDuration(tool.milliseconds) : "not run"}
    </span>
  );
}

/** Invalid tool calls that were not shown while the answer streamed in. */
export function InvalidCalls({ answer: { reply, tools } }: { answer: DoneAnswer }) {
  const shown = new Set(tools.filter(({ ok }) => !ok).map(({ id }) => id));
  const calls = reply.invalid_tool_calls.filter(({ id }) => !shown.has(id));
  if (calls.length === 0) return null;
  return (
    <details className="rounded-md border border-line text-sm">
      <summary className="px-3 py-1.5 text-soft">
        <Wrench aria-hidden size={13} className="mr-1.5 inline" />
        {formatCount(calls.length, "invalid tool call")}
      </summary>
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-line p-3">
        {calls.map((call, index) => (
          <li key={index} className="grid grid-cols-[minmax(0,1fr)] gap-1">
            <span className="verbatim font-medium text-bad">
              {call.name}: {call.error}
            </span>
            <pre className="mono verbatim rounded bg-sunken p-2">{call.args}</pre>
          </li>
        ))}
      </ul>
    </details>
  );
}
