import { Wrench } from "lucide-react";
import { formatCount } from "../parts/format.ts";
import type { Answer } from "./conversation.ts";

/** Calls the reply carries that were not seen at work: those that wait for somebody, and those the model got wrong. */
export function OpenToolCalls({ answer }: { answer: Extract<Answer, { state: "done" }> }) {
  const used = new Set(answer.tools.map((tool) => tool.id));
  const open = answer.reply.tool_calls.filter((call) => !used.has(call.id));
  const invalid = answer.reply.invalid_tool_calls;
  if (open.length + invalid.length === 0) return null;
  return (
    <details className="rounded-md border border-line text-sm">
      <summary className="px-3 py-1.5 text-soft">
        <Wrench aria-hidden size={13} className="mr-1.5 inline" />
        {formatCount(open.length + invalid.length, "call", "calls")} in the reply
      </summary>
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-line p-3">
        {open.map((call) => (
          <li key={call.id} className="grid grid-cols-[minmax(0,1fr)] gap-1">
            <span className="verbatim font-medium">{call.name}</span>
            <pre className="mono verbatim rounded bg-sunken p-2">{JSON.stringify(call.args, null, 2)}</pre>
          </li>
        ))}
        {invalid.map((call) => (
          <li key={call.id} className="grid grid-cols-[minmax(0,1fr)] gap-1">
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
