import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { formatCount } from "../parts/format.ts";
import { changedSince } from "./changed-since.ts";
import { scenariosIn, withNewer } from "./with-scenarios.ts";

interface LibraryChangesProps {
  /** The run that is repeated. */
  readonly from: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** A run is repeated as it was. Whoever changed a scenario in the library since may want that one. */
export function LibraryChanges({ from, text, onChange }: LibraryChangesProps) {
  const [ids] = useState(() => scenariosIn(text).map((scenario) => String(scenario["id"])));
  const [taken, setTaken] = useState(0);
  const changed = useQuery({
    queryKey: ["library", "changed-since", from, ids],
    queryFn: ({ signal }) => changedSince(from, { ids, signal }),
    // The form works without it.
    retry: false,
  });
  const newer = newerThan(text, changed.data ?? []);
  const place = useRef<HTMLParagraphElement>(null);
  if (newer.length + taken === 0) return null;
  const take = (): void => {
    setTaken(newer.length);
    onChange(withNewer(text, newer));
    // The button goes away: the keyboard goes on from here.
    place.current?.focus();
  };
  return (
    <p
      ref={place}
      tabIndex={-1}
      role="status"
      className={`flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg p-3 text-sm ${taken > 0 ? "bg-good-ground text-good" : "bg-warn-ground text-warn"}`}
    >
      {taken > 0 ? (
        `Taken as the library has it now: ${formatCount(taken, "scenario")}.`
      ) : (
        <>
          <span className="verbatim min-w-0 flex-1 basis-72">
            Changed in the library after that run: {newer.map(({ id }) => id).join(", ")}. The text below is from
            before.
          </span>
          <button type="button" className="button" onClick={take}>
            {newer.length === 1 ? "Take the changed one" : "Take the changed ones"}
          </button>
        </>
      )}
    </p>
  );
}

/** Those that the text has otherwise. */
function newerThan(text: string, stored: readonly Scenario[]): Scenario[] {
  const held = new Map(scenariosIn(text).map((scenario) => [scenario["id"], JSON.stringify(scenario)]));
  return stored.filter((scenario) => held.has(scenario.id) && held.get(scenario.id) !== JSON.stringify(scenario));
}
