import { Bot } from "lucide-react";
import { useId, useState, type MouseEvent } from "react";
import type { PageConfig } from "../../src/contract/schemas/shared/service-info.ts";
import { useModels } from "../chat/use-models.ts";
import type { FieldProblem } from "../parts/forms/field-problems.ts";
import { formatCount } from "../parts/text/format.ts";
import { SelectField, TextArea, TextField, type TextFieldProps } from "../parts/forms/fields.tsx";
import { agentTarget } from "./initial-draft.ts";
import { ownWorldHeader, protocolOptions, readProtocol, untilOptions, type RunDraft } from "./run-draft.ts";
import { problemsOf, takesWorldHeader } from "./run-request.ts";
import { ScorePicker } from "./score-picker.tsx";
import { countTurns, parseScenarios } from "./scenario-text.ts";

/** The form's input, its change handler, and the problems the service reported. */
interface DraftForm {
  readonly draft: RunDraft;
  readonly onChange: (changes: Partial<RunDraft>) => void;
  readonly problems: readonly FieldProblem[];
}

interface DraftFieldProps extends Omit<TextFieldProps, "value" | "problems" | "onText" | "name" | "form"> {
  readonly form: DraftForm;
  readonly name: keyof RunDraft;
}

/** A text field bound to one field of the draft. */
function DraftField({ form: { draft, onChange, problems }, name, ...field }: DraftFieldProps) {
  return (
    <TextField
      {...field}
      value={draft[name]}
      problems={problemsOf(problems, name)}
      onText={(text) => onChange({ [name]: text })}
    />
  );
}

/** The model under test: endpoint, protocol, model, system prompt. */
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
        inputMode="url"
        spellCheck={false}
        placeholder="https://host/v1"
        hint="An address, or a target as JSON. Don't paste a key: credentials come from the server's environment."
      />
      <SelectField
        label="Protocol"
        options={protocolOptions}
        value={draft.protocol}
        problems={problemsOf(problems, "protocol")}
        onChoice={(protocol) => onChange({ protocol: readProtocol(protocol) })}
      />
      <WorldField form={form} />
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

/** Asks how an agent gets into the world of the scenarios: only a model is offered the tools themselves. */
function WorldField({ form }: { form: DraftForm }) {
  const { draft, onChange } = form;
  if (!takesWorldHeader(draft)) return null;
  const asModel = ({ currentTarget: { form: element } }: MouseEvent<HTMLButtonElement>): void => {
    // The focused button disappears.
    element?.querySelector("select")?.focus();
    onChange({ protocol: "openai-chat" });
  };
  return (
    <div className="grid gap-2 sm:col-span-2">
      <DraftField
        form={form}
        name="worldHeader"
        label="World header"
        spellCheck={false}
        placeholder={ownWorldHeader}
        hint="These scenarios have a world. An agent acts in it if it takes the address of the world from this header; without one, it uses its own tools."
      />
      {!isOwnAgent(draft.endpoint) && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
          Is it a model? Then Rehearsal offers it the tools and runs them.
          <button type="button" className="button" onClick={asModel}>
            Use OpenAI chat completions
          </button>
        </p>
      )}
    </div>
  );
}

/** The models are known only for the agent that serves this page. */
const isOwnAgent = (endpoint: string): boolean => URL.parse(endpoint.trim())?.origin === location.origin;

/** Offers the agent that serves this page while the endpoint is empty. */
function OwnAgent({ form: { draft, onChange }, config }: { form: DraftForm; config: PageConfig }) {
  if (draft.endpoint.trim() !== "") return null;
  const fill = ({ currentTarget: { form: element } }: MouseEvent<HTMLButtonElement>): void => {
    // The focused button disappears, so the focus moves to the filled field.
    element?.querySelector("input")?.focus();
    onChange(agentTarget(config));
  };
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm text-soft sm:col-span-2">
      No endpoint yet?
      <button type="button" className="button" onClick={fill}>
        <Bot aria-hidden size={14} /> {config.demo ? "Use the built-in demo" : "Use the agent behind this page"}
      </button>
      {config.demo && "Scripted answers, not a language model."}
    </p>
  );
}

/** Test name and number of attempts. */
export function RunFields({ form }: { form: DraftForm }) {
  return (
    <fieldset className="panel grid gap-3 p-4 sm:grid-cols-2">
      <legend className="sr-only">Run</legend>
      <DraftField form={form} name="name" label="Test name (optional)" placeholder="by scenario, tag or date" />
      <DraftField
        form={form}
        name="attempts"
        label="Attempts"
        type="number"
        inputMode="numeric"
        min={1}
        max={100}
        hint={turnCount(form.draft)}
      />
      <UntilFields form={form} />
    </fieldset>
  );
}

const againstFields = {
  model_id: { label: "Other model", placeholder: "model id at the same endpoint" },
  run: { label: "Run", placeholder: "id of an ended run" },
  threshold: { label: "Threshold of overall", placeholder: "0.8" },
} as const;

/** When the run stops. A comparison takes the scenarios in random order and stops at a verdict. */
function UntilFields({ form }: { form: DraftForm }) {
  const { draft, onChange, problems } = form;
  return (
    <>
      <SelectField
        label="Stop when"
        options={untilOptions}
        value={draft.until}
        problems={problemsOf(problems, "until")}
        onChoice={(choice) => onChange({ until: untilOptions.find(({ id }) => id === choice)?.id ?? "" })}
      />
      {draft.until !== "" && (
        <>
          <DraftField form={form} name="against" {...againstFields[draft.until]} spellCheck={false} />
          <DraftField
            form={form}
            name="margin"
            label="Accepted loss (optional)"
            inputMode="decimal"
            placeholder="0.02"
            hint="Also stops when the run is shown not to be worse by this."
          />
        </>
      )}
    </>
  );
}

/** The number of turns of the run. The number of calls also depends on other settings; see the estimate. */
function turnCount({ scenarios: text, attempts }: RunDraft): string {
  const parsed = parseScenarios(text);
  const times = Number(attempts);
  const repeat = "One attempt shows a reply; five or more show whether it is stable.";
  if (parsed.kind !== "parsed" || !Number.isInteger(times) || times < 1) return repeat;
  const { scenarios, turns } = countTurns(parsed.batch);
  return `${formatCount(scenarios, "scenario")}, ${formatCount(turns, "turn")} × ${times} = ${formatCount(turns * times, "turn")}. ${repeat}`;
}

const advancedFields: readonly (keyof RunDraft)[] = [
  "history",
  "threshold",
  "scorers",
  "temperature",
  "concurrency",
  "priority",
  "money",
  "judgeModel",
  "judgeEndpoint",
  "judgeRubric",
  "judgeVotes",
];

const histories = [
  { id: "", label: "its own replies (default)" },
  { id: "reference", label: "the reference replies" },
  { id: "both", label: "both, and the gap between them" },
];

/** Optional settings. Opens when the service reports a problem with one of them. */
export function AdvancedFields({ form }: { form: DraftForm }) {
  const hasProblem = advancedFields.some((name) => problemsOf(form.problems, name).length > 0);
  // Stays open afterwards: the first key press clears the problem, and must not hide the field.
  const [open, setOpen] = useState(false);
  return (
    <details className="panel" open={open || hasProblem} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="px-4 py-2.5 text-sm font-medium">Advanced: history, scores, judge, limits</summary>
      <div className="grid gap-3 border-t border-line p-4 sm:grid-cols-2">
        <SelectField
          label="History the model sees"
          options={histories}
          value={form.draft.history}
          problems={problemsOf(form.problems, "history")}
          onChoice={(history) => form.onChange({ history })}
        />
        <DraftField
          form={form}
          name="threshold"
          label="Threshold"
          inputMode="decimal"
          placeholder="0.8"
          hint="Lowest overall score at which a turn passes."
        />
        <DraftField
          form={form}
          name="temperature"
          label="Temperature"
          inputMode="decimal"
          placeholder="endpoint default"
        />
        <DraftField
          form={form}
          name="concurrency"
          label="Concurrent calls"
          inputMode="numeric"
          placeholder="service limit"
        />
        <DraftField
          form={form}
          name="priority"
          label="Priority"
          inputMode="numeric"
          placeholder="0"
          hint="Runs with a higher priority start first (−100 to 100)."
        />
        <DraftField form={form} name="money" label="Budget (US dollars)" inputMode="decimal" placeholder="no limit" />
        <ScorePicker
          value={form.draft.scorers}
          problems={problemsOf(form.problems, "scorers")}
          onText={(scorers) => form.onChange({ scorers })}
        />
        <JudgeFields form={form} />
      </div>
    </details>
  );
}

/** Any of these fields turns the judge on. */
function JudgeFields({ form }: { form: DraftForm }) {
  return (
    <fieldset className="grid gap-3 sm:col-span-2 sm:grid-cols-2">
      <legend className="mb-2 text-sm font-semibold">
        Judge <span className="font-normal text-soft">(optional)</span>
      </legend>
      <DraftField form={form} name="judgeModel" label="Judge model" placeholder="service default" />
      <DraftField form={form} name="judgeEndpoint" label="Judge endpoint" placeholder="service default" />
      <DraftField
        form={form}
        name="judgeRubric"
        label="Question for the judge"
        placeholder="Is the reply correct, compared with the reference?"
      />
      <DraftField form={form} name="judgeVotes" label="Votes per reply" inputMode="numeric" placeholder="1" />
    </fieldset>
  );
}
