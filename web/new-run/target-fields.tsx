import { useId } from "react";
import type { PageConfig } from "../../src/contract/schemas/service-info.ts";
import { useModels } from "../chat/use-models.ts";
import { SelectField } from "../parts/select-field.tsx";
import { TextArea } from "../parts/text-area.tsx";
import { DraftField, type DraftForm } from "./draft-field.tsx";
import { problemsOf } from "./field-places.ts";
import { OwnAgent } from "./own-agent.tsx";
import { protocols, readProtocol } from "./run-draft.ts";

/** What is put to the test: endpoint, protocol, model. */
export function TargetFields({ form, config }: { form: DraftForm; config: PageConfig }) {
  const listId = useId();
  const { options } = useModels();
  const { draft, onChange, problems } = form;
  return (
    <fieldset className="panel grid gap-3 p-4 sm:grid-cols-2">
      <legend className="sr-only">Model under test</legend>
      <OwnAgent form={form} config={config} />
      <DraftField
        form={form}
        name="endpoint"
        label="Endpoint"
        type="url"
        inputMode="url"
        spellCheck={false}
        placeholder="https://host/v1"
        hint="The service adds its own credentials; no key belongs here."
      />
      <SelectField
        label="Protocol"
        options={protocols}
        value={draft.protocol}
        problems={problemsOf(problems, "protocol")}
        onChoice={(protocol) => onChange({ protocol: readProtocol(protocol) })}
      />
      <DraftField
        form={form}
        name="model"
        label="Model"
        spellCheck={false}
        list={listId}
        placeholder="model id at that endpoint"
      />
      <datalist id={listId}>
        {isOwnAgent(draft.endpoint) &&
          options.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
      </datalist>
      <TextArea
        label="System prompt (optional)"
        value={draft.systemPrompt}
        problems={problemsOf(problems, "systemPrompt")}
        onText={(systemPrompt) => onChange({ systemPrompt })}
      />
    </fieldset>
  );
}

/** Only of the agent behind this page it is known what it serves. */
const isOwnAgent = (endpoint: string): boolean => URL.parse(endpoint.trim())?.origin === location.origin;
