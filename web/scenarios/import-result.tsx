import { CircleCheck } from "lucide-react";
import { Link } from "wouter";
import type { Kept } from "../library-api.ts";
import { formatCount } from "../parts/format.ts";
import { scenarioPath } from "../parts/paths.ts";

/** What was stored, what was there already, and what says the same as another scenario. */
export function ImportResult({ kept }: { kept: readonly Kept[] }) {
  const created = kept.filter((entry) => entry.created).length;
  const duplicates = kept.filter((entry) => entry.duplicate_of !== undefined);
  return (
    <section aria-label="Stored" className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4">
      <p role="status" className="flex items-center gap-2 font-semibold text-good">
        <CircleCheck aria-hidden size={16} />
        {formatCount(created, "scenario")} stored
        {kept.length > created && (
          <span className="font-normal text-soft">, {kept.length - created} there already</span>
        )}
      </p>
      {duplicates.length > 0 && (
        <ul className="grid gap-1 text-sm text-warn">
          {duplicates.map((entry) => (
            <li key={entry.id} className="verbatim">
              <bdi>{entry.id}</bdi> has the same turns as{" "}
              <Link href={scenarioPath(entry.duplicate_of ?? "")} className="link">
                {entry.duplicate_of}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <p className="text-sm">
        <Link href="/scenarios" className="link">
          Go to the library
        </Link>
      </p>
    </section>
  );
}
