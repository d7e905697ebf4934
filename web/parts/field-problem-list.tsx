import type { FieldProblem } from "./field-problems.ts";

/** What the service found wrong, each with its place in the body. */
export function FieldProblemList({ problems }: { problems: readonly FieldProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="grid gap-1 text-sm">
      {problems.map((problem) => (
        <li key={`${problem.pointer} ${problem.code}`} className="verbatim text-bad">
          ✕ <span className="mono">{problem.pointer}</span> {problem.message}
          {problem.received !== undefined && <span className="text-soft"> (received {problem.received})</span>}
        </li>
      ))}
    </ul>
  );
}
