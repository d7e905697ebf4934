import type { Imported } from "../library-api.ts";
import { formatCount } from "../parts/format.ts";
import { importWords } from "../parts/problem-words.ts";

const shownScenarios = 5;
const shownNotes = 50;

/** What a file was taken for, what would be stored, and what could not be carried over. Nothing is stored yet. */
export function ImportPreview({ found }: { found: Imported }) {
  const turns = found.scenarios.reduce((sum, scenario) => sum + scenario.interactions.length, 0);
  return (
    <section aria-label="What was found" className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <p>
        <span className="font-semibold">
          {formatCount(found.scenarios.length, "scenario")}, {formatCount(turns, "turn")}
        </span>{" "}
        read as <span className="mono">{found.format}</span>
        {found.reason && <span className="verbatim text-soft">: {found.reason}</span>}
      </p>
      {found.notes.length > 0 && (
        <details open={found.notes.length <= 5}>
          <summary className="text-sm font-medium text-warn">
            {formatCount(found.notes.length, "thing")}{" "}
            {found.notes.some(({ kind }) => kind === "unusable") ? "to look at" : "not carried over unchanged"}
          </summary>
          <ul className="mt-2 grid gap-1 text-sm">
            {found.notes.slice(0, shownNotes).map((note, index) => (
              <li key={index} className="verbatim">
                <span className="font-medium">{note.kind}</span>
                <span className="text-soft">
                  {note.line !== undefined && ` line ${note.line}`}
                  {note.pointer !== undefined && ` ${note.pointer}`}
                </span>{" "}
                {importWords(note.message)}
              </li>
            ))}
            {found.notes.length > shownNotes && (
              <li className="text-soft">and {found.notes.length - shownNotes} more</li>
            )}
          </ul>
        </details>
      )}
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-2 text-sm">
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
      {found.scenarios.length > shownScenarios && (
        <p className="text-sm text-soft">and {found.scenarios.length - shownScenarios} more</p>
      )}
    </section>
  );
}
