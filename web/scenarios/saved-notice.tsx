import { CircleCheck, TriangleAlert } from "lucide-react";
import { Link } from "wouter";
import type { SavedScenario } from "../api/library.ts";
import { scenarioPath } from "../parts/address/paths.ts";

/** The result of the last save, from the address. */
export function SavedNotice({ params }: { params: URLSearchParams }) {
  const saved = params.get("saved");
  const of = params.get("of");
  if (saved === null) return null;
  if (of !== null) {
    return (
      <p role="status" className="flex items-start gap-2 rounded-lg bg-warn-ground p-3 text-sm text-warn">
        <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
        <span>
          Saved. It has the same turns as{" "}
          <Link href={scenarioPath(of)} className="verbatim font-semibold underline">
            {of}
          </Link>
          , so the two do not count as independent evidence.
        </span>
      </p>
    );
  }
  return (
    <p role="status" className="flex items-center gap-2 rounded-lg bg-good-ground p-3 text-sm text-good">
      <CircleCheck aria-hidden size={16} />
      {saved === "same" ? "This version is now the newest." : "Saved."}
    </p>
  );
}

/** The result of a save as a query string, read by SavedNotice. */
export function savedSearch({ created, duplicate_of }: SavedScenario): string {
  const params = new URLSearchParams({ saved: created ? "new" : "same" });
  if (duplicate_of !== undefined) params.set("of", duplicate_of);
  return `?${params.toString()}`;
}
