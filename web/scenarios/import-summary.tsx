import { CircleCheck } from "lucide-react";
import { Link } from "wouter";
import type { Imported, SavedScenario } from "../api/library.ts";
import { formatCount } from "../parts/text/format.ts";
import { reviewPath, scenarioPath } from "../parts/address/paths.ts";
import { importMessage } from "../parts/forms/field-problems.ts";

const shownScenarios = 5;
const shownNotes = 50;

/** The detected format, the scenarios to import, and notes on losses. Nothing is stored yet. */
export function ImportPreview({ found, source }: { found: Imported; source: string }) {
  const turns = found.scenarios.reduce((sum, scenario) => sum + scenario.interactions.length, 0);
  const { changes = [] } = found;
  const replaced = changes.filter(({ state }) => state === "replaced");
  const unchanged = changes.filter(({ state }) => state === "unchanged").length;
  const losses = found.notes.filter(({ kind }) => kind !== "kept").length;
  return (
    <section aria-label="Preview" className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <p>
        <span className="font-semibold">
          {source}: {formatCount(found.scenarios.length, "scenario")}, {formatCount(turns, "turn")}
        </span>
        {found.reason && <span className="verbatim text-soft"> ({found.reason})</span>}
      </p>
      {replaced.length + unchanged > 0 && (
        <div className="grid gap-1 text-sm">
          <p>
            {changes.length - replaced.length - unchanged} new, {replaced.length} replaced, {unchanged} unchanged in the
            library
          </p>
          <ul aria-label="Replaced scenarios" className="grid gap-1 text-warn">
            {replaced.slice(0, shownNotes).map(({ id, loses = [] }) => (
              <li key={id} className="verbatim">
                <bdi>{id}</bdi> replaces the scenario of the library
                {loses.length > 0 && <>, which has {loses.join(", ")}</>}
              </li>
            ))}
            {replaced.length > shownNotes && <li className="text-soft">and {replaced.length - shownNotes} more</li>}
          </ul>
        </div>
      )}
      {found.notes.length > 0 && (
        <details open={found.notes.length <= 5}>
          <summary className={`text-sm font-medium ${losses > 0 ? "text-warn" : "text-soft"}`}>
            {found.notes.some(({ kind }) => kind === "unusable")
              ? formatCount(found.notes.length, "issue")
              : losses > 0
                ? `${formatCount(losses, "item")} changed or left out`
                : formatCount(found.notes.length, "note")}
          </summary>
          <ul className="mt-2 grid gap-1 text-sm">
            {found.notes.slice(0, shownNotes).map((note, index) => (
              <li key={index} className="verbatim">
                <span className="font-medium">{note.kind}</span>
                <span className="text-soft">
                  {note.line !== undefined && ` line ${note.line}`}
                  {note.pointer !== undefined && ` ${note.pointer}`}
                </span>{" "}
                {importMessage(note.message)}
              </li>
            ))}
            {found.notes.length > shownNotes && (
              <li className="text-soft">and {found.notes.length - shownNotes} more</li>
            )}
          </ul>
        </details>
      )}
      {/* Conversations of traces have a list of their own. */}
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-2 text-sm" hidden={found.conversations !== undefined}>
        {found.scenarios.slice(0, shownScenarios).map((scenario) => (
          <li key={scenario.id} className="grid grid-cols-[minmax(0,1fr)] gap-1 rounded-md border border-line p-3">
            <span className="verbatim font-medium">
              {scenario.id}{" "}
              <span className="font-normal text-soft">{formatCount(scenario.interactions.length, "turn")}</span>
            </span>
            <span className="verbatim line-clamp-2">{scenario.interactions[0]?.user_message}</span>
            <span className="verbatim line-clamp-2 text-soft">
              {scenario.interactions[0]?.reference_reply || "(no reference)"}
            </span>
          </li>
        ))}
      </ol>
      {found.scenarios.length > shownScenarios && !found.conversations && (
        <p className="text-sm text-soft">and {found.scenarios.length - shownScenarios} more</p>
      )}
    </section>
  );
}

interface ImportSummaryProps {
  readonly kept: readonly SavedScenario[];
  /** The run of the recorded replies that were sent to review. */
  readonly reviewRun: string | undefined;
}

/** Counts imported and existing scenarios, and lists duplicates. */
export function ImportSummary({ kept, reviewRun }: ImportSummaryProps) {
  const created = kept.filter((entry) => entry.created).length;
  const duplicates = kept.filter((entry) => entry.duplicate_of !== undefined);
  return (
    <section aria-label="Imported" className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4">
      <p role="status" className="flex items-center gap-2 font-semibold text-good">
        <CircleCheck aria-hidden size={16} />
        {formatCount(created, "scenario")} imported
        {kept.length > created && (
          <span className="font-normal text-soft">, {kept.length - created} already in the library</span>
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
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        <Link href="/scenarios" className="link">
          Go to the library
        </Link>
        {reviewRun !== undefined && (
          <Link href={reviewPath(reviewRun)} className="link">
            Review the recorded replies
          </Link>
        )}
      </p>
    </section>
  );
}
