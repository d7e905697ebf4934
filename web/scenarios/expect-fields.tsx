import type { JsonRecord } from "../../src/base/json.ts";
import { TextArea } from "../parts/forms/fields.tsx";
import { problemsAt, type FieldProblem } from "../parts/forms/field-problems.ts";
import { CallFields, CallList, type KnownTool } from "./call-fields.tsx";
import { asList, asRecord, expectedKinds, withField } from "./json-edits.ts";
import { EntryRows, NumberField, RemoveButton, Rows, ToolNameField, ValueField } from "./value-fields.tsx";

interface ExpectFieldsProps {
  readonly expect: JsonRecord;
  readonly tools: readonly KnownTool[];
  /** Pointers are relative to the scenario. */
  readonly problems: readonly FieldProblem[];
  readonly onChange: (expect: JsonRecord) => void;
}

/** The requirements of the whole conversation. A part without rows is left out. */
export function ExpectFields({ expect, tools, problems, onChange }: ExpectFieldsProps) {
  const setList = (name: string, list: readonly unknown[]): void =>
    onChange(withField(expect, name, list.length === 0 ? undefined : list));
  const setRecord = (name: string, record: JsonRecord): void =>
    onChange(withField(expect, name, Object.keys(record).length === 0 ? undefined : record));
  const calls = (name: string, title: string, names: boolean, hint: string) => (
    <CallList
      title={title}
      hint={hint}
      calls={asList(expect[name])}
      tools={tools}
      problems={problems}
      pointer={`/expect/${name}`}
      names={names}
      onChange={(list) => setList(name, list)}
    />
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <EntryRows
        title="Final state"
        noun="place of the state"
        entries={asRecord(expect["state"])}
        kinds={expectedKinds}
        fresh={["/", ""]}
        keyPlaceholder="/orders/1042/status"
        problems={problems}
        pointer="/expect/state"
        onChange={(entries) => setRecord("state", entries)}
      />
      <StateAfter expect={expect} tools={tools} problems={problems} onChange={onChange} />
      <SaidRows said={asList(expect["said"])} problems={problems} onChange={(list) => setList("said", list)} />
      {calls("must_call", "Must call", true, "each of these, at any time")}
      {calls("must_not_call", "Must not call", true, "any of these")}
      <BeforeRows
        rules={asList(expect["before"])}
        tools={tools}
        problems={problems}
        onChange={(list) => setList("before", list)}
      />
      <LimitFields
        limits={expect["max_calls"]}
        tools={tools}
        problems={problems}
        onChange={(limits) => onChange(withField(expect, "max_calls", limits))}
      />
      <TextArea
        label="Question for the judge"
        placeholder="Did the assistant ask for confirmation before it cancelled?"
        value={typeof expect["rubric"] === "string" ? expect["rubric"] : ""}
        problems={problemsAt(problems, "/expect/rubric")}
        onText={(text) => onChange(withField(expect, "rubric", text === "" ? undefined : text))}
      />
    </div>
  );
}

/** An empty list is a requirement of its own: the state must stay as it was. */
function StateAfter({ expect, tools, problems, onChange }: ExpectFieldsProps) {
  const calls = expect["state_after"];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={calls !== undefined}
          onChange={() => onChange(withField(expect, "state_after", calls === undefined ? [] : undefined))}
        />
        The state must be what these calls would produce. No calls: unchanged.
      </label>
      {calls !== undefined && (
        <CallList
          title="Call in a fresh world"
          calls={asList(calls)}
          tools={tools}
          problems={problems}
          pointer="/expect/state_after"
          onChange={(list) => onChange({ ...expect, state_after: list })}
        />
      )}
    </div>
  );
}

interface ListProps {
  readonly problems: readonly FieldProblem[];
  readonly onChange: (list: readonly unknown[]) => void;
}

const saidKinds = {
  text: "a reply contains",
  pattern: expectedKinds.pattern,
  any_case: expectedKinds.any_case,
  json: "a matcher (JSON)",
} as const;

function SaidRows({ said, problems, onChange }: ListProps & { readonly said: readonly unknown[] }) {
  return (
    <Rows title="Said" addLabel="text that must be said" onAdd={() => onChange([...said, ""])}>
      {said.map((value, index) => (
        <div key={index} className="flex items-start gap-1">
          <div className="min-w-0 grow">
            <ValueField
              label={`Said ${index + 1}`}
              value={value}
              kinds={saidKinds}
              problems={problemsAt(problems, `/expect/said/${index}`)}
              onValue={(next) => onChange(said.with(index, next))}
            />
          </div>
          <RemoveButton
            label={`Remove text ${index + 1}`}
            last={index === said.length - 1}
            onRemove={() => onChange(said.toSpliced(index, 1))}
          />
        </div>
      ))}
    </Rows>
  );
}

interface BeforeRowsProps extends ListProps {
  readonly rules: readonly unknown[];
  readonly tools: readonly KnownTool[];
}

function BeforeRows({ rules, tools, problems, onChange }: BeforeRowsProps) {
  const add = (): void => onChange([...rules, { first: tools[0]?.name ?? "", later: tools[1]?.name ?? "" }]);
  return (
    <Rows title="Order of calls" hint="the second only after a successful first" addLabel="order" onAdd={add}>
      {rules.map((rule, index) => (
        <div key={index} className="flex items-start gap-1">
          <div className="grid min-w-0 grow grid-cols-[minmax(0,1fr)] gap-2 xl:grid-cols-2">
            {(["first", "later"] as const).map((side) => (
              <CallFields
                key={side}
                label={`Order ${index + 1}, ${side}`}
                call={asRecord(rule)[side]}
                tools={tools}
                problems={problems}
                pointer={`/expect/before/${index}/${side}`}
                onChange={(call) => onChange(rules.with(index, { ...asRecord(rule), [side]: call }))}
              />
            ))}
          </div>
          <RemoveButton
            label={`Remove order ${index + 1}`}
            last={index === rules.length - 1}
            onRemove={() => onChange(rules.toSpliced(index, 1))}
          />
        </div>
      ))}
    </Rows>
  );
}

interface LimitFieldsProps {
  /** A number for all calls, or numbers by tool. */
  readonly limits: unknown;
  readonly tools: readonly KnownTool[];
  readonly problems: readonly FieldProblem[];
  readonly onChange: (limits: unknown) => void;
}

function LimitFields({ limits, tools, problems, onChange }: LimitFieldsProps) {
  const byTool = asRecord(limits);
  const names = Object.keys(byTool);
  const fresh = tools.find(({ name }) => !Object.hasOwn(byTool, name))?.name ?? "";
  const setTools = (next: JsonRecord): void => onChange(Object.keys(next).length === 0 ? undefined : next);
  return (
    <Rows
      title="Number of calls"
      hint="at most, in total or by tool"
      addLabel="limit of a tool"
      onAdd={
        typeof limits === "number" || Object.hasOwn(byTool, fresh) ? null : () => setTools({ ...byTool, [fresh]: 1 })
      }
    >
      {names.length === 0 && (
        <div className="max-w-60">
          <NumberField
            label="In total"
            value={limits}
            placeholder="no limit"
            problems={problemsAt(problems, "/expect/max_calls")}
            onNumber={onChange}
          />
        </div>
      )}
      {names.map((name, index) => (
        <div key={index} className="flex items-end gap-1">
          <div className="grid min-w-0 grow items-start gap-2 sm:grid-cols-2">
            <ToolNameField
              label={`Limit ${index + 1}: tool`}
              value={name}
              tools={tools.map((tool) => tool.name)}
              problems={problemsAt(problems, `/expect/max_calls/${name}`)}
              onText={(next) => {
                if (!Object.hasOwn(byTool, next))
                  setTools(
                    Object.fromEntries(
                      Object.entries(byTool).map(([key, value]) => [key === name ? next : key, value]),
                    ),
                  );
              }}
            />
            <NumberField
              label={`Limit ${index + 1}: calls`}
              value={byTool[name]}
              onNumber={(value) => setTools({ ...byTool, [name]: value ?? 0 })}
            />
          </div>
          <RemoveButton
            label={`Remove limit ${index + 1}`}
            last={index === names.length - 1}
            onRemove={() => setTools(withField(byTool, name, undefined))}
          />
        </div>
      ))}
    </Rows>
  );
}
