import { CircleCheck, TriangleAlert } from "lucide-react";
import { Link } from "wouter";
import { scenarioPath } from "../parts/paths.ts";

/** What became of the last save, as the address tells it. */
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
          : the two do not count as independent evidence.
        </span>
      </p>
    );
  }
  return (
    <p role="status" className="flex items-center gap-2 rounded-lg bg-good-ground p-3 text-sm text-good">
      <CircleCheck aria-hidden size={16} />
      {saved === "same" ? "This version is the newest one now." : "Saved."}
    </p>
  );
}
