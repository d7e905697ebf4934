import { formatCount } from "../parts/format.ts";

/** More acceptable replies; the best one counted. */
export function OtherReferences({ references }: { references: readonly string[] }) {
  if (references.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="text-soft">
        {formatCount(references.length, "more acceptable reply", "more acceptable replies")}
      </summary>
      <ul className="mt-1 grid gap-1 pl-4">
        {references.map((reference, index) => (
          <li key={index} className="verbatim list-disc">
            {reference}
          </li>
        ))}
      </ul>
    </details>
  );
}
