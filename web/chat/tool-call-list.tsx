import { Wrench } from "lucide-react";
import type { AgentReply } from "../../src/contract/agent-reply.ts";
import { formatCount } from "../parts/format.ts";

/** Tool calls a reply carries, folded; calls the model got wrong are shown with what was wrong. */
export function ToolCallList({ reply }: { reply: AgentReply }) {
  const count = reply.tool_calls.length + reply.invalid_tool_calls.length;
  if (count === 0) return null;
  return (
    <details className="rounded-md border border-line text-sm">
      <summary className="px-3 py-1.5 text-soft">
        <Wrench aria-hidden size={13} className="mr-1.5 inline" />
        {formatCount(count, "tool call")}
      </summary>
      <ul className="grid gap-2 border-t border-line p-3">
        {reply.tool_calls.map((call) => (
          <li key={call.id} className="grid gap-1">
            <span className="font-medium">{call.name}</span>
            <pre className="mono verbatim rounded bg-sunken p-2">{JSON.stringify(call.args, null, 2)}</pre>
          </li>
        ))}
        {reply.invalid_tool_calls.map((call) => (
          <li key={call.id} className="grid gap-1">
            <span className="font-medium text-bad">
              {call.name}: {call.error}
            </span>
            <pre className="mono verbatim rounded bg-sunken p-2">{call.args}</pre>
          </li>
        ))}
      </ul>
    </details>
  );
}
