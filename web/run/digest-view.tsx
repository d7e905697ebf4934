import { useMemo, type ReactNode } from "react";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { formatInteger } from "../parts/format.ts";
import { isEnded } from "../parts/run-state.ts";
import { digestResults, type RunDigest } from "./run-digest.ts";
import { useDigest } from "./use-digest.ts";

interface DigestViewProps {
  readonly run: Run;
  /** Undefined for a large run: its turns are gone through here. */
  readonly results: EvaluationResponse | undefined;
  /** Draws what is known; the digest is null until it is there. */
  readonly children: (digest: RunDigest | null) => ReactNode;
}

/** What is drawn of all turns together. */
export function DigestView({ run, results, children }: DigestViewProps) {
  const whole = useMemo(() => results && digestResults(results), [results]);
  const { digest, error, read, refetch } = useDigest(run, { enabled: results === undefined });
  const known = whole ?? digest;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {error && <FailedNotice error={error} onRetry={refetch} />}
      {!known && !error && (
        <p role="status" className="text-sm text-soft tabular-nums">
          {isEnded(run.state)
            ? `Going through the turns: ${formatInteger(read)} of ${formatInteger(run.progress.interactions_total)}`
            : "For a run of this size, this is shown when it has ended."}
        </p>
      )}
      {children(known ?? null)}
    </div>
  );
}
