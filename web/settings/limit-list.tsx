import type { PageLimit } from "../../src/contract/schemas/service-info.ts";
import { formatLimit } from "./format-limit.ts";

/** What the services refuse beyond, and the variable each is moved with. */
export function LimitList({ limits }: { limits: readonly PageLimit[] }) {
  return (
    <div className="w-full overflow-x-auto" tabIndex={0} role="region" aria-label="Limits in force">
      <table className="data-table">
        <thead>
          <tr>
            <th scope="col">Limit</th>
            <th scope="col" className="number">
              Now
            </th>
          </tr>
        </thead>
        <tbody>
          {limits.map((limit) => (
            <tr key={`${limit.name} ${limit.meaning}`}>
              <th scope="row">
                {limit.meaning.replace(/\.$/, "")}
                <span className="mono block font-normal break-all text-soft">{limit.name}</span>
              </th>
              <td className="number whitespace-nowrap">{formatLimit(limit)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
