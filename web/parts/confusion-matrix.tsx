import { useState } from "react";
import { formatInteger } from "./format.ts";
import { MixUpTable } from "./mix-up-table.tsx";

/** As many labels as are taken in at a glance. */
const most = 12;

interface ConfusionMatrixProps {
  readonly name: string;
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Whose labels stand where. */
  readonly sides?: { readonly down: string; readonly across: string };
}

const labels = { down: "expected", across: "generated" };

/** How labels were mixed up; a matrix of many is folded below what was mixed up most. */
export function ConfusionMatrix({ name, confusion, sides = labels }: ConfusionMatrixProps) {
  const [open, setOpen] = useState(false);
  const expected = Object.keys(confusion);
  const generated = [...new Set([...expected, ...Object.values(confusion).flatMap((row) => Object.keys(row))])];
  if (expected.length === 0) return null;
  const matrix = <Matrix name={name} confusion={confusion} sides={sides} expected={expected} generated={generated} />;
  if (generated.length <= most) return matrix;
  return (
    <>
      <MixUpTable name={name} confusion={confusion} />
      <details className="text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="mb-2 text-soft">All {formatInteger(generated.length)} labels</summary>
        {open && matrix}
      </details>
    </>
  );
}

interface MatrixProps extends Required<ConfusionMatrixProps> {
  readonly expected: readonly string[];
  readonly generated: readonly string[];
}

/** What agrees is marked with a tick as well as by colour. */
function Matrix({ name, confusion, sides: { down, across }, expected, generated }: MatrixProps) {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={`Confusion of ${name}`}>
      <table className="data-table label-matrix w-auto!">
        <caption className="sr-only">
          {name}: {down} down, {across} across
        </caption>
        <thead>
          <tr>
            <th scope="col">
              {down} ↓ {across} →
            </th>
            {generated.map((label) => (
              <th key={label} scope="col" className="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {expected.map((label) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {generated.map((other) => (
                <Cell key={other} count={countOf(confusion[label], other)} agrees={other === label} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A label may be called "constructor", which every object has. */
const countOf = (row: Readonly<Record<string, number>> | undefined, label: string): number =>
  row && Object.hasOwn(row, label) ? (row[label] ?? 0) : 0;

function Cell({ count, agrees }: { count: number; agrees: boolean }) {
  if (count === 0) return <td className="number text-faint">0</td>;
  return (
    <td className={`number font-semibold ${agrees ? "bg-good-ground text-good" : "bg-bad-ground text-bad"}`}>
      {agrees ? "✓" : "×"} {count}
    </td>
  );
}
