import { CircleAlert } from "lucide-react";
import type { InteractionError } from "../../src/contract/schemas/interaction-result.ts";
import { errorWords } from "../parts/error-words.ts";
import { formatCount } from "../parts/format.ts";

/** Why this turn has no reply, and what to check first. */
export function TurnError({ error, reply }: { error: InteractionError; reply: string }) {
  const { title, hint } = errorWords(error.code);
  return (
    <div className="grid gap-1 rounded-md border border-dashed border-bad bg-bad-ground p-3">
      <p className="flex items-center gap-1.5 font-semibold text-bad">
        <CircleAlert aria-hidden size={15} className="shrink-0" />
        <span className="verbatim">
          {reply}: {title}
        </span>
      </p>
      <p className="verbatim text-sm">{error.detail}</p>
      <p className="text-sm">
        <span className="font-semibold">Next: </span>
        {hint}
      </p>
      <p className="flex flex-wrap items-baseline gap-x-4 text-xs text-soft">
        <span className="mono">{error.code}</span>
        {error.upstream_status !== null && <span>HTTP {error.upstream_status}</span>}
        <span>{formatCount(error.tries, "try", "tries")}</span>
        <span>{error.retryable ? "may pass when run again" : "will not pass by itself"}</span>
      </p>
    </div>
  );
}
