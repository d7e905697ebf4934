import { Wrench } from "lucide-react";
import { formatCount } from "../parts/format.ts";
import type { DoneAnswer } from "./conversation.ts";

/** Tool calls the model got wrong, and which were not told of while it answered. */
export function InvalidCalls({ answer: { reply, tools } }: { answer: DoneAnswer }) {
  const told = new Set(tools.filter(({ ok }) => !ok).map(({ id }) => id));
  const calls = reply.invalid_tool_calls.filter(({ id }) => !told.has(id));
  if (calls.length === 0) return null;
  return (
    <details className="rounded-md border border-line text-sm">
      <summary className="px-3 py-1.5 text-soft">
        <Wrench aria-hidden size={13} className="mr-1.5 inline" />
        {formatCount(calls.length, "call")} the model got wrong
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
