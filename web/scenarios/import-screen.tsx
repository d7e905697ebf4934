import { compact } from "../../src/base/compact.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { SearchCheck } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { importFormats } from "../../src/formats/formats.data.ts";
import { requestImport } from "../api/library.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { ConfirmDialog } from "../parts/screen/dialogs.tsx";
import { FilePicker, FileProblem, useTextFile } from "../parts/forms/text-file.tsx";
import { formatCount } from "../parts/text/format.ts";
import { tabStorage } from "../parts/browser/storage.ts";
import { Screen } from "../parts/screen/screen.tsx";
import { TextField } from "../parts/forms/fields.tsx";
import { ImportPreview, ImportSummary } from "./import-summary.tsx";
import { chosenConversations, emptyTraces, TraceChoice, traceRequest } from "./trace-choice.tsx";

/** Imports a pasted or dropped file after a preview of its format and of losses. */
export default function ImportScreen() {
  const { draft, change, discard } = useImportDraft();
  const { text, name, format, mapping } = draft;
  const client = useQueryClient();
  const id = useId();
  const columns = toMapping(mapping);
  const body = compact({ text, format, name: name || undefined, mapping: columns || undefined });
  const check = useMutation({
    mutationFn: (checked: typeof body) => requestImport({ ...checked, dry_run: true }),
  });
  // The column fields depend on the last check and stay while they are edited; its preview does not.
  const found = (check.variables?.mapping ?? "") === columns ? check.data : undefined;
  const [traces, setTraces] = useState(emptyTraces);
  const conversations = found?.conversations;
  const count = conversations ? chosenConversations(conversations, traces).length : (found?.scenarios.length ?? 0);
  const store = useMutation({
    mutationFn: () => requestImport({ ...body, ...traceRequest(conversations, traces) }),
    onSuccess: () => {
      discard();
      return client.invalidateQueries({ queryKey: ["library"] });
    },
  });

  const replaced = found?.changes?.filter(({ state }) => state === "replaced").length ?? 0;
  const [asking, setAsking] = useState(false);

  // The results belong to the text they were computed from.
  const resetResults = (): void => {
    check.reset();
    store.reset();
    setTraces(emptyTraces);
  };
  const file = useTextFile((content, fileName) => {
    change({ text: content, name: fileName });
    resetResults();
  });

  return (
    <Screen title="Import scenarios">
      <form
        className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          file.read(event.dataTransfer.files);
        }}
        onSubmit={(event) => {
          event.preventDefault();
          if (check.isPending) return;
          store.reset();
          check.mutate(body);
        }}
      >
        <div className="flex flex-wrap items-end gap-3">
          <label htmlFor={id} className="mr-auto text-sm font-medium">
            Paste a file's content, or drop the file here
            {name && <span className="verbatim font-normal text-soft"> ({name})</span>}
          </label>
          <label className="flex items-center gap-2 text-sm font-medium">
            Format
            <select
              className="field w-52 font-normal"
              value={format}
              onChange={(event) => {
                change({ format: event.target.value });
                resetResults();
              }}
            >
              <option value="auto">Detect automatically</option>
              {importFormats.map((entry) => (
                <option key={entry.id} value={entry.id}>
                  {entry.label}
                </option>
              ))}
            </select>
          </label>
          <FilePicker label="File to import" onPicked={file.read} />
        </div>
        <FileProblem problem={file.problem} />
        <textarea
          id={id}
          className="field mono min-h-48"
          rows={10}
          spellCheck={false}
          value={text}
          placeholder="JSON, JSONL, YAML, CSV, or a file of another tool …"
          onPaste={({ currentTarget }) => isAllSelected(currentTarget) && change({ name: "" })}
          onChange={({ target: { value } }) => {
            change(compact({ text: value, name: value === "" ? "" : undefined }));
            resetResults();
          }}
        />
        {(isTable(format === "auto" ? (check.data?.format ?? "") : format) || check.isError || columns !== "") && (
          <MappingFields mapping={mapping} onChange={(columns) => change({ mapping: columns })} />
        )}
        <button className="button justify-self-start" disabled={text.trim() === ""} aria-disabled={check.isPending}>
          <SearchCheck aria-hidden size={14} /> {check.isPending ? "Reading …" : "Preview"}
        </button>
      </form>
      {check.error && <FailedNotice error={check.error} />}
      {found && !store.data && (
        <>
          <ImportPreview
            found={found}
            source={`${format === "auto" ? "Detected" : "Read as"} ${formatTitle(found.format)}`}
          />
          {conversations && (
            <TraceChoice
              all={conversations}
              draft={traces}
              onChange={(changes) => setTraces((current) => ({ ...current, ...changes }))}
            />
          )}
          {store.error && <FailedNotice error={store.error} />}
          {count > 0 && (
            <button
              type="button"
              className="button button-primary justify-self-start"
              aria-disabled={store.isPending}
              onClick={() => store.isPending || (replaced > 0 ? setAsking(true) : store.mutate())}
            >
              {store.isPending ? "Importing …" : `Import ${formatCount(count, "scenario")}`}
            </button>
          )}
        </>
      )}
      {asking && (
        <ConfirmDialog
          title={replaced === 1 ? "Replace a scenario?" : `Replace ${replaced} scenarios?`}
          words={["Replace", "Importing …"]}
          onConfirm={() => store.mutateAsync()}
          onDone={() => setAsking(false)}
          onClose={() => setAsking(false)}
        >
          The library has other content under {replaced === 1 ? "one of these ids" : `${replaced} of these ids`}. The
          import becomes the newest version; the stored one stays in the list of versions.
        </ConfirmDialog>
      )}
      {store.data && <ImportSummary kept={store.data.kept} reviewRun={store.data.review_run_id} />}
    </Screen>
  );
}

/** Text pasted over the whole content no longer belongs to the named file. */
const isAllSelected = ({ selectionStart, selectionEnd, value }: HTMLTextAreaElement): boolean =>
  selectionEnd - selectionStart === value.length;

const roles = [
  { role: "user", label: "User message", placeholder: "question" },
  { role: "reference", label: "Reference reply", placeholder: "answer" },
  { role: "scenario_id", label: "Scenario id", placeholder: "conversation_id" },
  { role: "turn", label: "Order of turns", placeholder: "turn" },
  { role: "labels", label: "Labels (a|b)", placeholder: "intent|sentiment" },
] as const;

type Mapping = Readonly<Record<(typeof roles)[number]["role"], string>>;

const emptyMapping: Mapping = { user: "", reference: "", scenario_id: "", turn: "", labels: "" };

/** The service's format: `user=question,reference=answer`. Empty if nothing is mapped. */
const toMapping = (mapping: Mapping): string =>
  roles
    .filter(({ role }) => mapping[role].trim() !== "")
    .map(({ role }) => `${role}=${mapping[role].trim()}`)
    .join(",");

interface MappingFieldsProps {
  readonly mapping: Mapping;
  readonly onChange: (mapping: Mapping) => void;
}

/** Assigns columns to roles when their names are not recognized. */
function MappingFields({ mapping, onChange }: MappingFieldsProps) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium">
        Columns <span className="font-normal text-soft">(leave blank to detect by name)</span>
      </legend>
      <div className="grid gap-3 sm:grid-cols-3 lg:grid-cols-5">
        {roles.map(({ role, label, placeholder }) => (
          <TextField
            key={role}
            label={label}
            placeholder={placeholder}
            value={mapping[role]}
            onText={(text) => onChange({ ...mapping, [role]: text })}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** The text to import and its settings. */
interface ImportDraft {
  readonly text: string;
  /** Name of the file; empty for typed or pasted text. */
  readonly name: string;
  readonly format: string;
  readonly mapping: Mapping;
}

const emptyImport: ImportDraft = { text: "", name: "", format: "auto", mapping: emptyMapping };
const kept = tabStorage("rehearsal.import", emptyImport);

/** A draft that survives reloads and screen changes until it is imported. */
function useImportDraft() {
  const [draft, setDraft] = useState(kept.read);
  useEffect(() => kept.keep(draft), [draft]);
  return {
    draft,
    change: (changes: Partial<ImportDraft>): void => setDraft((current) => ({ ...current, ...changes })),
    discard: () => kept.keep(emptyImport),
  };
}

/** Formats whose columns may need a mapping. */
const isTable = (format: string): boolean => importFormats.find(({ id }) => id === format)?.takesMapping ?? false;

const formatTitle = (format: string): string => importFormats.find(({ id }) => id === format)?.label ?? format;
