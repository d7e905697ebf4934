import { Plus } from "lucide-react";
import { SelectField, TextArea, TextField } from "../parts/forms/fields.tsx";
import { fieldProblemText, problemsAt, type FieldProblem } from "../parts/forms/field-problems.ts";
import { JsonField } from "../parts/forms/json-field.tsx";
import { checkForms, type CheckOption } from "../../src/contract/schemas/scores/checks.data.ts";
import type { EditedCheck } from "./edited-scenario.ts";
import { asText, withField } from "./json-edits.ts";
import { NumberField, RemoveButton } from "./value-fields.tsx";

interface CheckFieldsProps {
  readonly checks: readonly EditedCheck[];
  /** Pointers are relative to the turn. */
  readonly problems: readonly FieldProblem[];
  readonly onChange: (checks: readonly EditedCheck[]) => void;
}

/** The checks of a turn. */
export function CheckFields({ checks, problems, onChange }: CheckFieldsProps) {
  const add = (name: string): void => {
    const form = checkForms[name];
    if (form) onChange([...checks, form.fresh as EditedCheck]);
  };
  return (
    <div data-rows="" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <span className="text-sm font-medium">Checks</span>
      {checks.map((check, index) => (
        <div key={index} className="flex items-start gap-1">
          <Check
            check={check}
            number={index + 1}
            problems={problems}
            onChange={(next) => onChange(checks.with(index, next))}
          />
          <RemoveButton
            label={`Remove check ${index + 1}`}
            last={index === checks.length - 1}
            onRemove={() => onChange(checks.toSpliced(index, 1))}
          />
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-1">
        <button type="button" data-add="" className="button button-quiet" onClick={() => add("contains")}>
          <Plus aria-hidden size={14} /> Text it must contain
        </button>
        <button type="button" className="button button-quiet" onClick={() => add("rubric")}>
          <Plus aria-hidden size={14} /> Question for the judge
        </button>
        <select
          aria-label="Add another check"
          className="button button-quiet"
          value=""
          onChange={({ target }) => add(target.value)}
        >
          <option value="">Another check …</option>
          {Object.entries(checkForms).map(([type, { label }]) => (
            <option key={type} value={type}>
              {label}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}

interface CheckProps {
  readonly check: EditedCheck;
  readonly number: number;
  readonly problems: readonly FieldProblem[];
  readonly onChange: (check: EditedCheck) => void;
}

function Check({ check, number, problems, onChange }: CheckProps) {
  const type = checkForms[asText(check["type"])];
  const pointer = `/checks/${number - 1}`;
  const own = problems.filter((problem) => problem.pointer === pointer || problem.pointer === `${pointer}/type`);
  if (!type) {
    return (
      <div className="min-w-0 grow">
        <JsonField
          label={`Check ${number} (JSON)`}
          value={check}
          problems={problemsAt(problems, pointer)}
          required
          onValue={(next) => onChange(next as EditedCheck)}
        />
      </div>
    );
  }
  const fields = (kinds: readonly CheckOption["kind"][]) =>
    Object.entries(type.options)
      .filter(([, { kind }]) => kinds.includes(kind))
      .map(([name, option]) => (
        <CheckOptionField
          key={name}
          option={option}
          value={check[name]}
          problems={problemsAt(problems, `${pointer}/${name}`)}
          onValue={(value) => onChange(withField(check, name, value))}
        />
      ));
  return (
    <div
      role="group"
      aria-label={`Check ${number}: ${type.label}`}
      className="grid min-w-0 grow grid-cols-[minmax(0,1fr)] gap-2 rounded-md border border-line p-3"
    >
      <p className="text-sm font-semibold">
        {number}. {type.label}
      </p>
      {own.length > 0 && <p className="text-xs font-medium text-bad">✕ {own.map(fieldProblemText).join("; ")}</p>}
      {fields(["text", "texts", "json"])}
      <div className="grid items-start gap-2 sm:grid-cols-2 xl:grid-cols-4">
        {fields(["choice", "number"])}
        <TextField
          label="Score name"
          placeholder={asText(check["type"])}
          value={asText(check["name"])}
          problems={problemsAt(problems, `${pointer}/name`)}
          onText={(text) => onChange(withField(check, "name", text === "" ? undefined : text))}
        />
      </div>
      <div className="flex flex-wrap gap-x-4">{fields(["flag"])}</div>
    </div>
  );
}

interface CheckOptionFieldProps {
  readonly option: CheckOption;
  readonly value: unknown;
  readonly problems: readonly FieldProblem[];
  readonly onValue: (value: unknown) => void;
}

function CheckOptionField({ option, value, problems, onValue }: CheckOptionFieldProps) {
  const { label } = option;
  switch (option.kind) {
    case "text":
      return (
        <TextArea
          label={label}
          value={asText(value)}
          problems={problems}
          onText={(text) => onValue(text === "" && option.placeholder !== undefined ? undefined : text)}
          {...(option.placeholder !== undefined && { placeholder: option.placeholder })}
        />
      );
    case "texts":
      return (
        <TextArea
          label={label}
          value={Array.isArray(value) ? value.join("\n") : asText(value)}
          problems={problems}
          // One text stays a text, so that an unchanged check is saved as it was.
          onText={(text) => onValue(text.includes("\n") || Array.isArray(value) ? text.split("\n") : text)}
        />
      );
    case "number":
      return (
        <NumberField
          label={label}
          value={value}
          problems={problems}
          onNumber={onValue}
          {...(option.placeholder !== undefined && { placeholder: option.placeholder })}
        />
      );
    case "json":
      return <JsonField label={label} value={value} problems={problems} onValue={onValue} />;
    case "flag":
      return (
        <label className="flex min-h-8 items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={typeof value === "boolean" ? value : option.otherwise}
            onChange={({ target }) => onValue(target.checked === option.otherwise ? undefined : target.checked)}
          />
          {label}
        </label>
      );
    case "choice":
      return (
        <SelectField
          label={label}
          value={asText(value) || (Object.keys(option.choices)[0] ?? "")}
          options={Object.entries(option.choices).map(([id, text]) => ({ id, label: text }))}
          problems={problems}
          onChoice={onValue}
        />
      );
  }
}
