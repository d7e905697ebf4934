import { TriangleAlert } from "lucide-react";
import { Link } from "wouter";

/** Names what an address asks for and the library does not hold any more. */
export function MissingScenarios({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return (
    <p role="status" className="flex items-start gap-2 rounded-lg bg-warn-ground p-3 text-sm text-warn">
      <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
      <span className="verbatim">
        Not in the library any more, and left out: {ids.join(", ")}.{" "}
        <Link href="/scenarios" className="font-semibold underline">
          Scenarios
        </Link>{" "}
        shows the ones there are.
      </span>
    </p>
  );
}
