import { Plus } from "lucide-react";
import { useState } from "react";
import type { JsonRecord } from "../../src/base/json.ts";
import { SelectField, TextArea, TextField } from "../parts/forms/fields.tsx";
import { problemsAt, type FieldProblem } from "../parts/forms/field-problems.ts";
import { JsonField } from "../parts/forms/json-field.tsx";
import { formatCount } from "../parts/text/format.ts";
import {
  asList,
  asRecord,
  asText,
  expectedKinds,
  isSimpleSchema,
  parameterTypes,
  renameField,
  withField,
  writtenKinds,
} from "./json-edits.ts";
import { EntryRows, NumberField, RemoveButton, Rows } from "./value-fields.tsx";

interface WorldFieldsProps {
  readonly world: JsonRecord;
  /** Pointers are relative to the scenario. */
  readonly problems: readonly FieldProblem[];
  readonly onChange: (world: JsonRecord) => void;
}

/** A world: its state, and its tools with parameters and answers. */
export function WorldFields({ world, problems, onChange }: WorldFieldsProps) {
  const set = (name: string, value: unknown): void => onChange(withField(world, name, value));
  const tools = asList(world["tools"]);
  const recorded = asList(world["recorded"]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <JsonField
        label="State at the beginning (JSON)"
        placeholder='{"orders": {"1042": {"status": "paid"}}}'
        hint="Every attempt gets a fresh copy. Empty: an empty object."
        value={world["state"]}
        problems={problemsAt(problems, "/world/state")}
        onValue={(state) => set("state", state)}
      />
      {typeof world["module"] === "string" && (
        <p className="verbatim text-sm text-soft">
          The functions of <span className="mono">{world["module"]}</span> are tools too. Only the command line runs
          them.
        </p>
      )}
      {recorded.length > 0 && (
        <p className="text-sm text-soft">
          {formatCount(recorded.length, "recorded call")} answer tools without answers. Edit them in the text.
        </p>
      )}
      {tools.map((tool, index) => (
        <ToolFields
          key={index}
          tool={asRecord(tool)}
          number={index + 1}
          last={index === tools.length - 1}
          problems={problems}
          pointer={`/world/tools/${index}`}
          onChange={(next) => set("tools", tools.with(index, next))}
          onRemove={() => set("tools", tools.toSpliced(index, 1))}
        />
      ))}
      <button
        type="button"
        data-add=""
        className="button justify-self-start"
        onClick={() =>
          set("tools", [
            ...tools,
            { name: "", description: "", parameters: { type: "object", properties: {} }, answers: [{}] },
          ])
        }
      >
        <Plus aria-hidden size={14} /> Tool
      </button>
      <div className="max-w-60">
        <NumberField
          label="Model calls per turn, at most"
          placeholder="20"
          value={world["max_steps"]}
          problems={problemsAt(problems, "/world/max_steps")}
          onNumber={(steps) => set("max_steps", steps)}
        />
      </div>
    </div>
  );
}

interface ToolFieldsProps {
  readonly tool: JsonRecord;
  readonly number: number;
  readonly last: boolean;
  readonly problems: readonly FieldProblem[];
  readonly pointer: string;
  readonly onChange: (tool: JsonRecord) => void;
  readonly onRemove: () => void;
}

function ToolFields({ tool, number, last, problems, pointer, onChange, onRemove }: ToolFieldsProps) {
  const set = (name: string, value: unknown): void => onChange(withField(tool, name, value));
  const answers = asList(tool["answers"]);
  const parameters = Object.keys(asRecord(asRecord(tool["parameters"])["properties"]));
  const own = problemsAt(problems, pointer);
  // A new tool is open; the others are a line each.
  const [open, setOpen] = useState(asText(tool["name"]) === "");
  const setAnswers = (list: readonly unknown[]): void => set("answers", list.length === 0 ? undefined : list);
  return (
    <details
      className="rounded-md border border-line"
      open={open || own.length > 0}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="px-3 py-2 text-sm">
        <span className="mono font-semibold">{asText(tool["name"]) || `Tool ${number}`}</span>{" "}
        <span className="text-soft">
          {formatCount(parameters.length, "parameter")},{" "}
          {answers.length === 0 ? "answered by records or the module" : formatCount(answers.length, "answer")}
        </span>
      </summary>
      <fieldset className="grid grid-cols-[minmax(0,1fr)] gap-3 px-3 pb-3">
        <legend className="sr-only">Tool {number}</legend>
        <div className="flex items-start gap-1">
          <div className="grid min-w-0 grow items-start gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
            <TextField
              label={`Tool ${number}: name`}
              placeholder="cancel_order"
              spellCheck={false}
              value={asText(tool["name"])}
              problems={problemsAt(problems, `${pointer}/name`)}
              onText={(text) => set("name", text)}
            />
            <TextArea
              label={`Tool ${number}: description`}
              placeholder="Read by the model"
              value={asText(tool["description"])}
              problems={problemsAt(problems, `${pointer}/description`)}
              onText={(text) => set("description", text)}
            />
          </div>
          <RemoveButton label={`Remove tool ${number}`} last={last} onRemove={onRemove} />
        </div>
        <ParameterFields
          schema={tool["parameters"]}
          problems={problemsAt(problems, `${pointer}/parameters`)}
          onChange={(schema) => set("parameters", schema)}
        />
        <Rows
          title="Answers"
          hint="the first that applies"
          addLabel="answer"
          onAdd={() => setAnswers([...answers, {}])}
        >
          {answers.map((answer, index) => (
            <div key={index} className="flex items-start gap-1">
              <AnswerFields
                label={`Answer ${index + 1}`}
                answer={asRecord(answer)}
                parameters={parameters}
                problems={problems}
                pointer={`${pointer}/answers/${index}`}
                onChange={(next) => setAnswers(answers.with(index, next))}
              />
              <RemoveButton
                label={`Remove answer ${index + 1} of tool ${number}`}
                last={index === answers.length - 1}
                onRemove={() => setAnswers(answers.toSpliced(index, 1))}
              />
            </div>
          ))}
        </Rows>
      </fieldset>
    </details>
  );
}

interface ParameterFieldsProps {
  readonly schema: unknown;
  readonly problems: readonly FieldProblem[];
  readonly onChange: (schema: unknown) => void;
}

/** Parameters as rows where the schema is simple, else as JSON schema. */
function ParameterFields({ schema, problems, onChange }: ParameterFieldsProps) {
  if (!isSimpleSchema(schema) || problems.length > 0) {
    return (
      <JsonField label="Parameters (JSON schema)" value={schema} problems={problems} required onValue={onChange} />
    );
  }
  const properties = asRecord(schema["properties"]);
  const required = asList(schema["required"]);
  const names = Object.keys(properties);
  const setProperties = (next: JsonRecord): void => onChange({ ...schema, properties: next });
  const setRequired = (of: JsonRecord, list: readonly unknown[]): void =>
    onChange(withField(of, "required", list.length === 0 && schema["required"] === undefined ? undefined : list));
  return (
    <Rows
      title="Parameters"
      addLabel="parameter"
      onAdd={Object.hasOwn(properties, "") ? null : () => setProperties({ ...properties, "": { type: "string" } })}
    >
      {names.map((name, index) => {
        const property = asRecord(properties[name]);
        return (
          <div key={index} className="flex flex-wrap items-center gap-1 sm:flex-nowrap">
            <input
              className="field mono max-sm:basis-full sm:max-w-44"
              aria-label={`Parameter ${index + 1}, name`}
              placeholder="order_id"
              spellCheck={false}
              value={name}
              onChange={({ target }) => {
                if (Object.hasOwn(properties, target.value)) return;
                setRequired(
                  { ...schema, properties: renameField(properties, name, target.value) },
                  required.map((item) => (item === name ? target.value : item)),
                );
              }}
            />
            <select
              className="field min-h-8.5 max-w-28"
              aria-label={`Parameter ${index + 1}, type`}
              value={asText(property["type"])}
              onChange={({ target }) => setProperties({ ...properties, [name]: { ...property, type: target.value } })}
            >
              {parameterTypes.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </select>
            <input
              className="field min-w-40 max-sm:order-last"
              aria-label={`Parameter ${index + 1}, description`}
              placeholder="description"
              value={asText(property["description"])}
              onChange={({ target }) =>
                setProperties({
                  ...properties,
                  [name]: withField(property, "description", target.value === "" ? undefined : target.value),
                })
              }
            />
            <label className="flex shrink-0 items-center gap-1 text-sm">
              <input
                type="checkbox"
                checked={required.includes(name)}
                onChange={() =>
                  setRequired(
                    schema,
                    required.includes(name) ? required.filter((item) => item !== name) : [...required, name],
                  )
                }
              />
              required
            </label>
            <RemoveButton
              label={`Remove parameter ${name || index + 1}`}
              last={index === names.length - 1}
              onRemove={() =>
                setRequired(
                  { ...schema, properties: withField(properties, name, undefined) },
                  required.filter((item) => item !== name),
                )
              }
            />
          </div>
        );
      })}
    </Rows>
  );
}

interface AnswerFieldsProps {
  readonly label: string;
  readonly answer: JsonRecord;
  readonly parameters: readonly string[];
  readonly problems: readonly FieldProblem[];
  readonly pointer: string;
  readonly onChange: (answer: JsonRecord) => void;
}

/** One answer: its conditions, its changes of the state, and the result or error. */
function AnswerFields({ label, answer, parameters, problems, pointer, onChange }: AnswerFieldsProps) {
  const set = (name: string, value: unknown): void => onChange(withField(answer, name, value));
  const setRecord = (name: string, record: JsonRecord): void =>
    set(name, Object.keys(record).length === 0 ? undefined : record);
  const when = asRecord(answer["when"]);
  const changes = asRecord(answer["set"]);
  const removed = asList(answer["remove"]);
  const kind = answer["error"] !== undefined ? "error" : answer["result"] !== undefined ? "result" : "ok";
  const own = problems.filter((problem) => problem.pointer === pointer);
  const condition = parameters.find((name) => !Object.hasOwn(when, name)) ?? "";
  const additions = [
    {
      text: "Condition",
      isThere: Object.hasOwn(when, condition),
      add: () => setRecord("when", { ...when, [condition]: "" }),
    },
    { text: "Change", isThere: Object.hasOwn(changes, "/"), add: () => setRecord("set", { ...changes, "/": "" }) },
    { text: "Removal", isThere: removed.length > 0, add: () => set("remove", ["/"]) },
    { text: "Delay", isThere: answer["delay_ms"] !== undefined, add: () => set("delay_ms", 1000) },
  ];
  return (
    <div className="grid min-w-0 grow grid-cols-[minmax(0,1fr)] gap-3 rounded-md border border-line p-2">
      <EntryRows
        title="When"
        noun="condition"
        entries={when}
        kinds={expectedKinds}
        fresh={[condition, ""]}
        keyPlaceholder="order_id"
        suggestions={parameters}
        problems={problems}
        pointer={`${pointer}/when`}
        bare
        onChange={(entries) => setRecord("when", entries)}
      />
      <EntryRows
        title="Changes of the state"
        noun="change"
        entries={changes}
        kinds={writtenKinds}
        fresh={["/", ""]}
        keyPlaceholder="/orders/{order_id}/status"
        problems={problems}
        pointer={`${pointer}/set`}
        bare
        onChange={(entries) => setRecord("set", entries)}
      />
      {removed.length > 0 && (
        <TextArea
          label={`${label}: removed from the state (a pointer per line)`}
          value={removed.join("\n")}
          problems={problemsAt(problems, `${pointer}/remove`)}
          onText={(text) => set("remove", text === "" ? undefined : text.split("\n"))}
        />
      )}
      <div className="grid items-start gap-2 sm:grid-cols-[11rem_minmax(0,1fr)]">
        <SelectField
          label={`${label}: reply`}
          value={kind}
          problems={own}
          options={[
            { id: "ok", label: '{"ok": true}' },
            { id: "result", label: "a result" },
            { id: "error", label: "an error" },
          ]}
          onChoice={(choice) => {
            const bare = withField(withField(answer, "error", undefined), "result", undefined);
            onChange(choice === "ok" ? bare : { ...bare, [choice]: choice === "error" ? "" : {} });
          }}
        />
        {kind === "result" && (
          <JsonField
            label={`${label}: result (JSON)`}
            placeholder='{"$state": "/orders/{order_id}"}'
            value={answer["result"]}
            problems={problemsAt(problems, `${pointer}/result`)}
            required
            onValue={(result) => set("result", result)}
          />
        )}
        {kind === "error" && (
          <TextArea
            label={`${label}: error message`}
            value={asText(answer["error"])}
            problems={problemsAt(problems, `${pointer}/error`)}
            onText={(text) => set("error", text)}
          />
        )}
      </div>
      {answer["delay_ms"] !== undefined && (
        <div className="max-w-40">
          <NumberField
            label={`${label}: delay in ms`}
            value={answer["delay_ms"]}
            problems={problemsAt(problems, `${pointer}/delay_ms`)}
            onNumber={(delay) => set("delay_ms", delay)}
          />
        </div>
      )}
      <div className="flex flex-wrap gap-1">
        {additions.map(({ text, isThere, add }) => (
          <button key={text} type="button" data-add="" className="button button-quiet" disabled={isThere} onClick={add}>
            <Plus aria-hidden size={14} /> {text}
          </button>
        ))}
      </div>
    </div>
  );
}
