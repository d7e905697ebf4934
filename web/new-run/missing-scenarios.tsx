import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";

/** Says what an address asks for and cannot be had. */
export function MissingScenarios({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="flex items-start gap-2 rounded-lg bg-warn-ground p-3 text-sm text-warn">
      <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
      <span className="verbatim">
        {children}{" "}
        <Link href="/scenarios" className="font-semibold underline">
          Scenarios
        </Link>{" "}
        shows the ones there are.
      </span>
    </p>
  );
}
