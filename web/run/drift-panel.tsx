import type { Drift, DriftGap } from "../../src/contract/schemas/score.ts";
import { formatEffect } from "../parts/format-effect.ts";
import { formatInteger, formatScore, scoreLabel } from "../parts/format.ts";

/** What the model's own earlier replies cost: scores with them against scores with the reference replies as history. */
export function DriftPanel({ drift }: { drift: Drift }) {
  const turns = drift.by_turn.map((gaps) => gaps["overall"]);
  return (
    <section aria-label="Drift" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 className="text-base font-semibold">Drift: own replies against reference history</h2>
      <p className="verbatim">{drift.sentence}</p>
      <p className="text-soft">Here each turn counts once; in the scores of the run, each scenario.</p>
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Drift by score and turn">
        <table className="data-table w-auto!">
          <thead>
            <tr>
              <th scope="col">Score</th>
              <th scope="col" className="number">
                Own replies
              </th>
              <th scope="col" className="number">
                Reference
              </th>
              <th scope="col" className="number">
                Gap
              </th>
              <th scope="col" className="number">
                95 % interval
              </th>
              <th scope="col" className="number">
                n
              </th>
            </tr>
          </thead>
          <tbody>
            {[
              ...Object.entries(drift.scores).map(([name, gap]) => ({ label: scoreLabel(name), gap })),
              ...turns.flatMap((gap, index) => (gap ? [{ label: `overall, turn ${index + 1}`, gap }] : [])),
            ].map(({ label, gap }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td className="number">{formatScore(gap.generated)}</td>
                <td className="number">{formatScore(gap.reference)}</td>
                <td className="number font-semibold">{gap.gap === null ? "–" : formatEffect(gap.gap)}</td>
                <td className="number">{formatInterval(gap)}</td>
                <td className="number">{formatInteger(gap.n)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function formatInterval({ ci_lower: lower, ci_upper: upper }: DriftGap): string {
  return typeof lower === "number" && typeof upper === "number"
    ? `${formatEffect(lower)} to ${formatEffect(upper)}`
    : "–";
}
