import { useMemo, type ReactNode } from "react";
import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../../src/contract/schemas/run.ts";
import { FailedNotice } from "../../parts/screen/notices.tsx";
import { formatInteger } from "../../parts/text/format.ts";
import { isEnded } from "../../parts/runs/run-facts.ts";
import { digestResults, type PageDigest } from "./run-digest.ts";
import { useDigest } from "./use-digest.ts";

interface DigestViewProps {
  readonly run: Run;
  /** Undefined for a large run: its turns are then streamed. */
  readonly results: EvaluationResponse | undefined;
  /** Called with null until the digest is complete. */
  readonly children: (digest: PageDigest | null) => ReactNode;
}

/** Computes the digest of all turns and renders it. */
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
            ? `Reading turns: ${formatInteger(read)} of ${formatInteger(run.progress.interactions_total)}`
            : "For large runs, this appears when the run finishes."}
        </p>
      )}
      {children(known ?? null)}
    </div>
  );
}
