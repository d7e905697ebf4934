import type { Warning } from "../../src/contract/schemas/problem.ts";

/** What of a request does not do what its author may think. */
export function WarningList({ warnings = [] }: { warnings?: readonly Warning[] | undefined }) {
  if (warnings.length === 0) return null;
  return (
    <ul aria-label="Warnings" className="grid gap-1 rounded-md bg-warn-ground p-3 text-sm text-warn">
      {warnings.map(({ pointer, message, suggestion }) => (
        <li key={`${pointer} ${message}`} className="verbatim">
          ⚠ <span className="mono">{pointer}</span> {message}
          {suggestion && `. Did you mean ${suggestion}?`}
        </li>
      ))}
    </ul>
  );
}
