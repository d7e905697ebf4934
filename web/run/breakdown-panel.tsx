import type { Breakdown, Slice } from "../../src/contract/schemas/score.ts";
import { formatInteger, formatScore, scoreLabel } from "../parts/format.ts";

/** Scores by place in the conversation, by kind of turn and by tag: where it goes wrong. */
export function BreakdownPanel({ breakdown }: { breakdown: Breakdown }) {
  const groups = [
    { title: "Turn", slices: breakdown.turn_index.map((slice, index) => ({ name: `turn ${index + 1}`, slice })) },
    { title: "Type", slices: toSlices(breakdown.interaction_type) },
    { title: "Tag", slices: toSlices(breakdown.tag) },
  ].filter((group) => group.slices.length > 0);
  if (groups.length === 0) return null;
  return (
    <section aria-label="Breakdown" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 className="text-base font-semibold">Breakdown</h2>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
        {groups.map((group) => (
          <SliceTable key={group.title} {...group} />
        ))}
      </div>
    </section>
  );
}

const toSlices = (slices: Readonly<Record<string, Slice>>) =>
  Object.entries(slices).map(([name, slice]) => ({ name, slice }));

const shown = ["overall", "success", "metadata_match"];

function SliceTable({ title, slices }: { title: string; slices: readonly { name: string; slice: Slice }[] }) {
  const scores = shown.filter((name) => slices.some(({ slice }) => slice.average_scores[name] !== undefined));
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={`Scores by ${title.toLowerCase()}`}>
      <table className="data-table">
        <thead>
          <tr>
            <th scope="col">{title}</th>
            {scores.map((name) => (
              <th key={name} scope="col" className="number">
                {scoreLabel(name)}
              </th>
            ))}
            <th scope="col" className="number">
              n
            </th>
          </tr>
        </thead>
        <tbody>
          {slices.map(({ name, slice }) => (
            <tr key={name}>
              <th scope="row" className="verbatim min-w-20">
                {name}
              </th>
              {scores.map((score) => (
                <td key={score} className="number">
                  {formatScore(slice.average_scores[score])}
                </td>
              ))}
              <td className="number">{formatInteger(slice.n)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
