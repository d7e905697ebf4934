import { Plus, X } from "lucide-react";
import { useId, type ReactNode } from "react";
import { toPointer, type JsonRecord } from "../../src/base/json.ts";
import { focusAddButton } from "../parts/browser/focus.ts";
import { FieldFrame, TextArea, TextField } from "../parts/forms/fields.tsx";
import { problemsAt, type FieldProblem } from "../parts/forms/field-problems.ts";
import { JsonField } from "../parts/forms/json-field.tsx";
import { asRecord, jsonKind, renameField, textOfValue, valueOfKind, withField, type ValueKind } from "./json-edits.ts";

/** The forms of a value that a field offers, with their labels. */
type Kinds = Readonly<Partial<Record<ValueKind, string>>>;

interface ValueFieldProps {
  /** Names the value: "Argument order_id". */
  readonly label: string;
  readonly value: unknown;
  readonly kinds: Kinds;
  readonly problems: readonly FieldProblem[];
  readonly onValue: (value: unknown) => void;
}

/** A value or matcher: its form, and the fields of that form. */
export function ValueField({ label, value, kinds, problems, onValue }: ValueFieldProps) {
  const kind = jsonKind(value, kinds);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-1 sm:grid-cols-[12.5rem_minmax(0,1fr)]">
      <select
        className="field min-h-8.5"
        aria-label={`${label}: comparison`}
        value={kind}
        onChange={(event) => onValue(valueOfKind(event.target.value as ValueKind, textOfValue(value)))}
      >
        {Object.entries(kinds).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <div className="bare-labels min-w-0">
        <ValueInput label={label} kind={kind} value={value} problems={problems} onValue={onValue} />
      </div>
    </div>
  );
}

type ValueInputProps = Omit<ValueFieldProps, "kinds"> & { readonly kind: ValueKind };

function ValueInput({ label, kind, value, problems, onValue }: ValueInputProps) {
  switch (kind) {
    case "json":
      return <JsonField label={label} value={value} problems={problems} required onValue={onValue} />;
    case "schema":
      return (
        <JsonField
          label={label}
          value={asRecord(value)["$schema"]}
          problems={problems}
          required
          onValue={(schema) => onValue({ $schema: schema })}
        />
      );
    case "near": {
      const { value: number, tolerance = 0 } = asRecord(asRecord(value)["$number"]);
      const change = (next: JsonRecord): void => onValue({ $number: next });
      return (
        <div className="flex items-start gap-2">
          <NumberField
            label={label}
            value={number}
            problems={problems}
            onNumber={(next) => change({ value: next ?? 0, tolerance })}
          />
          <span className="pt-1.5 text-soft">±</span>
          <NumberField
            label={`${label}: tolerance`}
            value={tolerance}
            onNumber={(next) => change({ value: number, tolerance: next ?? 0 })}
          />
        </div>
      );
    }
    case "any":
    case "absent":
      return <FieldProblems problems={problems} />;
    default:
      return (
        <TextArea
          label={label}
          value={textOfValue(value)}
          problems={problems}
          onText={(text) => onValue(valueOfKind(kind, text))}
        />
      );
  }
}

function FieldProblems({ problems }: { problems: readonly FieldProblem[] }) {
  if (problems.length === 0) return null;
  return <p className="text-xs font-medium text-bad">✕ {problems.map(({ message }) => message).join("; ")}</p>;
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: unknown;
  readonly problems?: readonly FieldProblem[];
  readonly placeholder?: string;
  readonly onNumber: (value: number | undefined) => void;
}

export function NumberField({ label, value, problems, placeholder, onNumber }: NumberFieldProps) {
  return (
    <FieldFrame label={label} problems={problems} className="min-w-0 grow">
      {(attributes) => (
        <input
          {...attributes}
          type="number"
          step="any"
          className="field"
          placeholder={placeholder}
          value={typeof value === "number" ? value : ""}
          onChange={({ target }) => onNumber(target.value === "" ? undefined : target.valueAsNumber)}
        />
      )}
    </FieldFrame>
  );
}

interface EntryRowsProps {
  /** The plural heading, such as "Arguments". */
  readonly title: string;
  /** The singular, for labels: "argument". */
  readonly noun: string;
  readonly entries: JsonRecord;
  readonly kinds: Kinds;
  /** Key and value of a new entry. */
  readonly fresh: readonly [string, unknown];
  readonly keyPlaceholder: string;
  readonly suggestions?: readonly string[];
  readonly problems: readonly FieldProblem[];
  /** Pointer of the entries, to find their problems. */
  readonly pointer: string;
  /** Rows are added elsewhere, and no rows show nothing. */
  readonly bare?: boolean;
  readonly onChange: (entries: JsonRecord) => void;
}

/** Named values as rows: a name, a form and the value. */
export function EntryRows(props: EntryRowsProps) {
  const { title, noun, entries, kinds, fresh, keyPlaceholder, suggestions = [], problems, pointer } = props;
  const { bare = false, onChange } = props;
  const list = useId();
  const names = Object.keys(entries);
  if (bare && names.length === 0) return null;
  return (
    <Rows
      title={title}
      addLabel={bare ? null : noun}
      onAdd={Object.hasOwn(entries, fresh[0]) ? null : () => onChange({ ...entries, [fresh[0]]: fresh[1] })}
    >
      {names.map((name, index) => (
        <div key={index} className="flex items-start gap-1">
          <div className="grid min-w-0 grow grid-cols-[minmax(0,1fr)] gap-1 lg:grid-cols-[minmax(8rem,2fr)_minmax(0,5fr)]">
            <input
              className="field mono min-h-8.5 self-start"
              aria-label={`${title} ${index + 1}, name`}
              placeholder={keyPlaceholder}
              list={suggestions.length > 0 ? list : undefined}
              spellCheck={false}
              value={name}
              onChange={({ target }) => {
                // Another entry of this name would be overwritten.
                if (!Object.hasOwn(entries, target.value)) onChange(renameField(entries, name, target.value));
              }}
            />
            <ValueField
              label={`${title} ${index + 1}, value`}
              value={entries[name]}
              kinds={kinds}
              problems={problemsAt(problems, `${pointer}${toPointer([name])}`)}
              onValue={(value) => onChange({ ...entries, [name]: value })}
            />
          </div>
          <RemoveButton
            label={`Remove ${noun} ${name || index + 1}`}
            last={index === names.length - 1}
            onRemove={() => onChange(withField(entries, name, undefined))}
          />
        </div>
      ))}
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </Rows>
  );
}

interface RowsProps {
  readonly title: string;
  /** Null without a button. */
  readonly addLabel: string | null;
  /** Null while no row can be added. */
  readonly onAdd: (() => void) | null;
  readonly hint?: string;
  readonly children: ReactNode;
}

/** A titled list of rows with a button that adds one. */
export function Rows({ title, addLabel, onAdd, hint, children }: RowsProps) {
  return (
    <div data-rows="" role="group" aria-label={title} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <span className="text-sm font-medium">
        {title}
        {hint && <span className="font-normal text-soft"> {hint}</span>}
      </span>
      {children}
      {addLabel !== null && (
        <button
          type="button"
          data-add=""
          className="button button-quiet justify-self-start"
          disabled={onAdd === null}
          onClick={() => onAdd?.()}
        >
          <Plus aria-hidden size={14} /> {capitalized(addLabel)}
        </button>
      )}
    </div>
  );
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface RemoveButtonProps {
  readonly label: string;
  /** Another row moves up and keeps the focus, unless this is the last one. */
  readonly last: boolean;
  readonly onRemove: () => void;
}

export function RemoveButton({ label, last, onRemove }: RemoveButtonProps) {
  return (
    <button
      type="button"
      className="button button-quiet"
      aria-label={label}
      onClick={(event) => {
        if (last) focusAddButton(event.currentTarget);
        onRemove();
      }}
    >
      <X aria-hidden size={14} />
    </button>
  );
}

interface ToolNameFieldProps {
  readonly label: string;
  readonly value: string;
  /** Names of the world's tools. */
  readonly tools: readonly string[];
  readonly problems: readonly FieldProblem[];
  readonly onText: (name: string) => void;
}

export function ToolNameField({ label, value, tools, problems, onText }: ToolNameFieldProps) {
  const list = useId();
  return (
    <>
      <TextField label={label} value={value} problems={problems} onText={onText} list={list} spellCheck={false} />
      <datalist id={list}>
        {tools.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
