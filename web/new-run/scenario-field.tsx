import { useId } from "react";
import { Link } from "wouter";
import { FieldProblemList } from "../parts/field-problem-list.tsx";
import type { FieldProblem } from "../parts/field-problems.ts";
import { FilePicker } from "../parts/file-picker.tsx";
import { FileProblem } from "../parts/file-problem.tsx";
import { useTextFile } from "../parts/use-text-file.ts";
import { LibraryPicker } from "./library-picker.tsx";
import { parseScenarios } from "./parse-scenarios.ts";
import { withScenarios } from "./with-scenarios.ts";

interface ScenarioFieldProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onExample: () => void;
  readonly problems: readonly FieldProblem[];
}

/** Scenarios by paste, file or drop. */
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
          <LibraryPicker onPicked={(scenarios) => onChange(withScenarios(text, scenarios))} />
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
              YAML, tables and the formats of other tools come in by the library:{" "}
              <Link href="/scenarios/import" className="link">
                import them
              </Link>
              , then take them from there.
            </p>
          </>
        )}
        {parsed.kind === "parsed" && Object.keys(parsed.request).length > 0 && (
          <p>This is a whole request: the form was filled from it, and what it has no field for is sent along.</p>
        )}
        <FileProblem problem={file.problem} />
        <FieldProblemList problems={problems} />
      </div>
    </div>
  );
}
