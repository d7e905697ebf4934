import { CircleAlert, CircleCheck } from "lucide-react";
import type { AgentUpstreams } from "../../src/contract/agent-upstreams.ts";
import { formatCount, formatDuration } from "../parts/format.ts";

/** Providers that fail are left alone for a while; here they are, or the word that there are none. */
export function BreakerList({ breakers }: Pick<AgentUpstreams, "breakers">) {
  if (breakers.length === 0) {
    return (
      <p className="flex items-center gap-1.5 text-sm text-good">
        <CircleCheck aria-hidden size={15} /> No provider is failing.
      </p>
    );
  }
  return (
    <ul aria-label="Providers that fail" className="grid gap-3 sm:grid-cols-2">
      {breakers.map((breaker) => (
        <li
          key={`${breaker.origin} ${breaker.key}`}
          className="panel grid grid-cols-[minmax(0,1fr)] content-start gap-1 p-4"
        >
          <span className="flex flex-wrap items-center gap-x-3">
            <span className="verbatim font-semibold">{breaker.key || breaker.origin}</span>
            <span className="inline-flex items-center gap-1 text-sm text-warn">
              <CircleAlert aria-hidden size={14} /> {words(breaker.state)}
            </span>
          </span>
          <span className="mono break-all text-soft">{breaker.origin}</span>
          <span className="text-sm text-soft">
            {formatCount(breaker.failures, "failure")} in {formatCount(breaker.calls, "call")}
            {breaker.retry_after_ms > 0 && `, tried again in ${formatDuration(breaker.retry_after_ms)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

const words = (state: string): string =>
  ({ open: "calls are held back", "half-open": "being tried again", half_open: "being tried again" })[state] ?? state;
