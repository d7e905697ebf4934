import { formatInteger } from "./format.ts";

/** As many pairs as are looked at. */
const most = 10;

interface MixUpTableProps {
  readonly name: string;
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Which labels were taken for which, the most frequent first: of many labels nobody finds that in a matrix. */
export function MixUpTable({ name, confusion }: MixUpTableProps) {
  const pairs = Object.entries(confusion)
    .flatMap(([expected, row]) => Object.entries(row).map(([generated, count]) => ({ expected, generated, count })))
    .filter(({ expected, generated, count }) => expected !== generated && count > 0)
    .toSorted((left, right) => right.count - left.count);
  if (pairs.length === 0) return null;
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={`Mix-ups of ${name}`}>
      <table className="data-table w-auto!">
        <caption className="pb-1 text-left text-sm text-soft">
          {pairs.length > most ? `The ${most} most frequent of ${formatInteger(pairs.length)} mix-ups` : "Mix-ups"}
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
          {pairs.slice(0, most).map(({ expected, generated, count }) => (
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
