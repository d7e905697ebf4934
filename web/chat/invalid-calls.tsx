import { Wrench } from "lucide-react";
import { formatCount } from "../parts/format.ts";
import type { DoneAnswer } from "./conversation.ts";

/** Tool calls the model got wrong. */
export function InvalidCalls({ calls }: { calls: DoneAnswer["reply"]["invalid_tool_calls"] }) {
  if (calls.length === 0) return null;
  return (
    <details className="rounded-md border border-line text-sm">
      <summary className="px-3 py-1.5 text-soft">
        <Wrench aria-hidden size={13} className="mr-1.5 inline" />
        {formatCount(calls.length, "call")} the model got wrong
      </summary>
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-line p-3">
        {calls.map((call) => (
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
