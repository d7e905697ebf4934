import { useId } from "react";
import type { PageConfig } from "../../src/contract/page-config.ts";
import { problemsAt, type FieldProblem } from "../parts/field-problems.ts";
import { protocols, readProtocol, type RunDraft } from "./run-draft.ts";
import { TextField } from "../parts/text-field.tsx";

interface TargetFieldsProps {
  readonly draft: RunDraft;
  readonly onChange: (changes: Partial<RunDraft>) => void;
  readonly config: PageConfig;
  readonly problems: readonly FieldProblem[];
}

/** What is put to the test: endpoint, protocol, model. */
export function TargetFields({ draft, onChange, config, problems }: TargetFieldsProps) {
  const listId = useId();
  return (
    <fieldset className="panel grid gap-3 p-4 sm:grid-cols-2">
      <legend className="sr-only">Model under test</legend>
      <TextField
        label="Endpoint"
        type="url"
        inputMode="url"
        spellCheck={false}
        placeholder="https://host/v1"
        hint="The service adds its own credentials; no key belongs here."
        value={draft.endpoint}
        problems={problemsAt(problems, "/endpoint")}
        onText={(endpoint) => onChange({ endpoint })}
      />
      <label className="grid content-start gap-1 text-sm font-medium">
        Protocol
        <select
          className="field font-normal"
          value={draft.protocol}
          onChange={(event) => onChange({ protocol: readProtocol(event.target.value) })}
        >
          {protocols.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <TextField
        label="Model"
        spellCheck={false}
        list={listId}
        placeholder="model id at that endpoint"
        value={draft.model}
        problems={problemsAt(problems, "/model_id")}
        onText={(model) => onChange({ model })}
      />
      <datalist id={listId}>
        {config.hub_models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      <TextField
        label="System prompt (optional)"
        value={draft.systemPrompt}
        problems={problemsAt(problems, "/system_prompt")}
        onText={(systemPrompt) => onChange({ systemPrompt })}
      />
    </fieldset>
  );
}
