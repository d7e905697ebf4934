import type { LabelMetrics } from "../../src/contract/schemas/score.ts";
import { formatKappa, formatPercent, formatSample, formatScore } from "../parts/format.ts";
import { ConfusionMatrix } from "../parts/confusion-matrix.tsx";

/** How well generated labels agree with the expected ones, key by key. */
export function LabelTable({ metrics }: { metrics: Readonly<Record<string, LabelMetrics>> }) {
  const entries = Object.entries(metrics);
  if (entries.length === 0) return null;
  return (
    <section aria-label="Labels" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 className="text-base font-semibold">Labels</h2>
      {entries.map(([key, metric]) => (
        <div key={key} className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4">
          <h3 className="verbatim font-medium">{key}</h3>
          {metric.n === 0 ? (
            <p className="text-sm">No reply could be labelled.</p>
          ) : (
            <p className="flex flex-wrap gap-x-5 gap-y-1 text-sm tabular-nums">
              <span>{formatPercent(metric.accuracy)} right</span>
              <span>macro F1 {formatScore(metric.macro_f1)}</span>
              <Kappa metric={metric} />
              <span className="text-soft">{formatSample(metric.n)}</span>
            </p>
          )}
          <ConfusionMatrix name={key} confusion={metric.confusion} />
        </div>
      ))}
    </section>
  );
}

/** Agreement beyond chance: −1 to 1. */
function Kappa({
  metric: { kappa, kappa_ci_lower: lower, kappa_ci_upper: upper, kappa_method },
}: {
  metric: LabelMetrics;
}) {
  const interval = typeof lower === "number" && typeof upper === "number";
  return (
    <span title={kappa_method}>
      kappa {kappa === null ? "–" : formatKappa(kappa)}{" "}
      <span className="text-soft">{interval ? `[${formatKappa(lower)}, ${formatKappa(upper)}]` : "no interval"}</span>
    </span>
  );
}
