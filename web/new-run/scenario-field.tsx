import { useQuery } from "@tanstack/react-query";
import { BookOpenText } from "lucide-react";
import { useId, useRef, useState } from "react";
import { Link } from "wouter";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { fetchScenarios, requestImport } from "../api/library.ts";
import { FailedNotice, FieldProblemList } from "../parts/screen/notices.tsx";
import type { FieldProblem } from "../parts/forms/field-problems.ts";
import { FilePicker, FileProblem, useTextFile } from "../parts/forms/text-file.tsx";
import { formatCount } from "../parts/text/format.ts";
import { ModalDialog } from "../parts/screen/dialogs.tsx";
import { Skeleton } from "../parts/screen/screen.tsx";
import { toggled } from "../parts/lists/list-controls.tsx";
import { useLibrary } from "../scenarios/use-library.ts";
import { parseScenarios, readScenarios, replaceScenarios, updateScenarios } from "./scenario-text.ts";

interface ScenarioFieldProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onExample: () => void;
  readonly problems: readonly FieldProblem[];
}

/** Scenarios by paste, file, drop or from the library. */
export function ScenarioField({ text, onChange, onExample, problems }: ScenarioFieldProps) {
  const id = useId();
  const parsed = parseScenarios(text);
  const file = useTextFile(onChange);

  return (
    <div
      className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        file.read(event.dataTransfer.files);
      }}
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <label htmlFor={id} className="text-sm font-medium">
          Scenarios (JSON or JSONL)
        </label>
        <span className="flex flex-wrap gap-1">
          <button type="button" className="button button-quiet" onClick={onExample}>
            Example
          </button>
          <LibraryPicker onPicked={(scenarios) => onChange(replaceScenarios(text, scenarios))} />
          <FilePicker label="Scenario file" accept=".json,.jsonl,.ndjson,application/json" onPicked={file.read} />
        </span>
      </div>
      <textarea
        id={id}
        className="field mono min-h-56"
        rows={14}
        spellCheck={false}
        placeholder='{ "id": "…", "interactions": [ { "id": "…", "user_message": "…", "reference_reply": "…" } ] }'
        value={text}
        aria-invalid={parsed.kind === "invalid" || problems.length > 0}
        aria-describedby={`${id}-note`}
        onChange={(event) => onChange(event.target.value)}
      />
      <div id={`${id}-note`} className="grid gap-1 text-xs text-soft">
        {parsed.kind === "invalid" && (
          <>
            <p className="font-medium text-bad">✕ Not valid JSON: {parsed.message}</p>
            <p>
              For YAML, tables and other tools' formats,{" "}
              <Link href="/scenarios/import" className="link">
                import them
              </Link>{" "}
              into the library first.
            </p>
          </>
        )}
        {parsed.kind === "parsed" && Object.keys(parsed.request).length > 0 && (
          <p>Full request detected. The form is filled from it; its other settings are sent unchanged.</p>
        )}
        <FileProblem problem={file.problem} />
        <FieldProblemList problems={problems} />
      </div>
    </div>
  );
}

/** Adds scenarios from the library to the request. */
function LibraryPicker({ onPicked }: { onPicked: (scenarios: readonly Scenario[]) => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        <BookOpenText aria-hidden size={14} /> From the library
      </button>
      {open && (
        <ModalDialog title="Library scenarios" wide onClose={() => setOpen(false)}>
          <PickList
            onPicked={(scenarios) => {
              onPicked(scenarios);
              setOpen(false);
            }}
          />
        </ModalDialog>
      )}
    </>
  );
}

function PickList({ onPicked }: { onPicked: (scenarios: readonly Scenario[]) => void }) {
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<unknown>(null);
  const library = useLibrary({ search: search || undefined });
  const entries = library.data?.pages.flatMap((page) => page.scenarios) ?? [];
  const toggle = (id: string): void => setChosen((current) => toggled(current, id));
  const take = (): void => {
    const ids = chosen.size > 0 ? [...chosen] : entries.map((entry) => entry.id);
    fetchScenarios(ids, new AbortController().signal).then(({ scenarios }) => onPicked(scenarios), setError);
  };

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <input
        type="search"
        className="field"
        aria-label="Search the library"
        placeholder="id, words or tag"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {library.isPending && <Skeleton rows={4} label="Loading the library" />}
      {library.isError && <FailedNotice error={library.error} onRetry={() => void library.refetch()} />}
      {library.isSuccess && entries.length === 0 && <p className="text-sm text-soft">No scenarios match.</p>}
      <ul className="grid max-h-[60vh] grid-cols-[minmax(0,1fr)] gap-0.5 overflow-y-auto">
        {entries.map((entry) => (
          <li key={entry.id}>
            <label className="grid cursor-pointer grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-2 rounded-md px-2 py-1 hover:bg-sunken">
              <input type="checkbox" checked={chosen.has(entry.id)} onChange={() => toggle(entry.id)} />
              <bdi className="font-medium break-all sm:truncate" title={entry.id}>
                {entry.id}
              </bdi>
              {entry.description !== "" && (
                <bdi className="col-start-2 truncate text-sm text-soft" title={entry.description}>
                  {entry.description}
                </bdi>
              )}
            </label>
          </li>
        ))}
      </ul>
      {library.hasNextPage && (
        <button type="button" className="button justify-self-start" onClick={() => void library.fetchNextPage()}>
          More
        </button>
      )}
      {error !== null && <FailedNotice error={error} />}
      <button
        type="button"
        className="button button-primary justify-self-end"
        disabled={entries.length === 0}
        onClick={take}
      >
        Use {chosen.size > 0 ? formatCount(chosen.size, "scenario") : `all ${entries.length} shown`}
      </button>
    </div>
  );
}

interface LibraryChangesProps {
  /** The run to repeat. */
  readonly from: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** A repeated run uses its original scenarios. Offers the library's versions where they have other content. */
export function LibraryChanges({ from, text, onChange }: LibraryChangesProps) {
  const [first] = useState(() => readScenarios(text));
  const [updated, setUpdated] = useState(0);
  const changed = useQuery({
    queryKey: ["library", "changed-since", from],
    queryFn: ({ signal }) => changedInLibrary(first, signal),
    enabled: first.length > 0,
    // Optional: the form works without it.
    retry: false,
  });
  const held = new Set(readScenarios(text).map(({ id }) => id));
  const newer = updated > 0 ? [] : (changed.data ?? []).filter(({ id }) => held.has(id));
  const notice = useRef<HTMLParagraphElement>(null);
  if (newer.length + updated === 0) return null;
  const update = (): void => {
    setUpdated(newer.length);
    onChange(updateScenarios(text, newer));
    // The focused button disappears.
    notice.current?.focus();
  };
  return (
    <p
      ref={notice}
      tabIndex={-1}
      role="status"
      className={`flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg p-3 text-sm ${updated > 0 ? "bg-good-ground text-good" : "bg-warn-ground text-warn"}`}
    >
      {updated > 0 ? (
        `Updated ${formatCount(updated, "scenario")} from the library.`
      ) : (
        <>
          <span className="verbatim min-w-0 flex-1 basis-72">
            The library has other content: {newer.map(({ id }) => id).join(", ")}. The text below is what that run used.
          </span>
          <button type="button" className="button" onClick={update}>
            {newer.length === 1 ? "Use the new version" : "Use the new versions"}
          </button>
        </>
      )}
    </p>
  );
}

/** The newest versions of these scenarios where the library has other content under their ids. */
async function changedInLibrary(scenarios: readonly object[], signal: AbortSignal): Promise<Scenario[]> {
  const { changes = [] } = await requestImport({ text: JSON.stringify(scenarios), format: "json", dry_run: true });
  const ids = changes.flatMap(({ id, state }) => (state === "replaced" ? [id] : []));
  return (await fetchScenarios(ids, signal)).scenarios;
}
