import { useMutation, useQueryClient } from "@tanstack/react-query";
import { SearchCheck } from "lucide-react";
import { useId } from "react";
import { importScenarios } from "../library-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { FilePicker } from "../parts/file-picker.tsx";
import { FileProblem } from "../parts/file-problem.tsx";
import { formatCount } from "../parts/format.ts";
import { Screen } from "../parts/screen.tsx";
import { useTextFile } from "../parts/use-text-file.ts";
import { importFormats, isTable } from "./import-formats.ts";
import { ImportPreview } from "./import-preview.tsx";
import { ImportResult } from "./import-result.tsx";
import { MappingFields, toMapping } from "./mapping-fields.tsx";
import { useImportDraft } from "./use-import-draft.ts";

/** Paste or drop a file, see what it was taken for and what would be lost, then store it. */
export default function ImportScreen() {
  const { draft, change, forget: forgetDraft } = useImportDraft();
  const { text, name, format, mapping } = draft;
  const client = useQueryClient();
  const id = useId();
  const columns = toMapping(mapping);
  const body = { text, format, ...(name && { name }), ...(columns && { mapping: columns }) };
  const check = useMutation({
    mutationFn: (asked: typeof body) => importScenarios({ ...asked, dry_run: true }),
  });
  // The fields for columns stay while they are changed; what was found with others does not.
  const found = (check.variables?.mapping ?? "") === columns ? check.data : undefined;
  const store = useMutation({
    mutationFn: () => importScenarios(body),
    onSuccess: () => {
      forgetDraft();
      return client.invalidateQueries({ queryKey: ["library"] });
    },
  });

  /** What was found belongs to the text it was found in. */
  const forget = (): void => {
    check.reset();
    store.reset();
  };
  const file = useTextFile((content, fileName) => {
    change({ text: content, name: fileName });
    forget();
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
                forget();
              }}
            >
              {importFormats.map((entry) => (
                <option key={entry.id} value={entry.id}>
                  {entry.title}
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
          placeholder="JSON, JSONL, YAML, CSV, OpenAI chat, ShareGPT, promptfoo, Inspect, LangSmith, Langfuse …"
          onPaste={({ currentTarget }) => isAllSelected(currentTarget) && change({ name: "" })}
          onChange={({ target: { value } }) => {
            change({ text: value, ...(value === "" && { name: "" }) });
            forget();
          }}
        />
        {(isTable(format === "auto" ? (check.data?.format ?? "") : format) || check.isError || columns !== "") && (
          <MappingFields mapping={mapping} onChange={(columns) => change({ mapping: columns })} />
        )}
        <button className="button justify-self-start" disabled={text.trim() === ""} aria-disabled={check.isPending}>
          <SearchCheck aria-hidden size={14} /> {check.isPending ? "Reading …" : "See what is in it"}
        </button>
      </form>
      {check.error && <FailedNotice error={check.error} />}
      {found && !store.data && (
        <>
          <ImportPreview found={found} />
          {store.error && <FailedNotice error={store.error} />}
          {found.scenarios.length > 0 && (
            <button
              type="button"
              className="button button-primary justify-self-start"
              aria-disabled={store.isPending}
              onClick={() => store.isPending || store.mutate()}
            >
              {store.isPending ? "Storing …" : `Store ${formatCount(found.scenarios.length, "scenario")}`}
            </button>
          )}
        </>
      )}
      {store.data && <ImportResult kept={store.data.kept} />}
    </Screen>
  );
}

/** What is pasted in place of a whole file is no longer that file. */
const isAllSelected = ({ selectionStart, selectionEnd, value }: HTMLTextAreaElement): boolean =>
  selectionEnd - selectionStart === value.length;
