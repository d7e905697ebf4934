import { useState } from "react";
import { formatInteger } from "../text/format.ts";

/** Larger matrices are folded. */
const mostLabels = 12;

interface ConfusionMatrixProps {
  readonly name: string;
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Titles of the two axes. */
  readonly sides?: { readonly down: string; readonly across: string };
}

const defaultSides = { down: "expected", across: "generated" };

/** A confusion matrix; a large one is folded below a table of its most frequent confusions. */
export function ConfusionMatrix({ name, confusion, sides = defaultSides }: ConfusionMatrixProps) {
  const [open, setOpen] = useState(false);
  const expected = Object.keys(confusion);
  const generated = [...new Set([...expected, ...Object.values(confusion).flatMap((row) => Object.keys(row))])];
  if (expected.length === 0) return null;
  const matrix = <Matrix name={name} confusion={confusion} sides={sides} expected={expected} generated={generated} />;
  if (generated.length <= mostLabels) return matrix;
  return (
    <>
      <ConfusedPairs name={name} confusion={confusion} />
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

/** Agreement is marked by a tick as well as by colour. */
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

/** `hasOwn`, because a label may be called "constructor". */
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

const mostPairs = 10;

interface ConfusedPairsProps {
  readonly name: string;
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

function ConfusedPairs({ name, confusion }: ConfusedPairsProps) {
  const pairs = Object.entries(confusion)
    .flatMap(([expected, row]) => Object.entries(row).map(([generated, count]) => ({ expected, generated, count })))
    .filter(({ expected, generated, count }) => expected !== generated && count > 0)
    .toSorted((left, right) => right.count - left.count);
  if (pairs.length === 0) return null;
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={`Confused labels of ${name}`}>
      <table className="data-table w-auto!">
        <caption className="pb-1 text-left text-sm text-soft">
          {pairs.length > mostPairs
            ? `The ${mostPairs} most frequent of ${formatInteger(pairs.length)} confusions`
            : "Confused labels"}
        </caption>
        <thead>
          <tr>
            <th scope="col" className="number">
              Turns
            </th>
            <th scope="col">Expected</th>
            <th scope="col">Generated</th>
          </tr>
        </thead>
        <tbody>
          {pairs.slice(0, mostPairs).map(({ expected, generated, count }) => (
            <tr key={`${expected} ${generated}`}>
              <td className="number">{formatInteger(count)}</td>
              <td className="verbatim">{expected}</td>
              <td className="verbatim">{generated}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
