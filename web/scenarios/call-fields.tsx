import type { JsonRecord } from "../../src/base/json.ts";
import { SelectField } from "../parts/forms/fields.tsx";
import { problemsAt, type FieldProblem } from "../parts/forms/field-problems.ts";
import { asList, asRecord, asText, expectedKinds, withField } from "./json-edits.ts";
import { EntryRows, RemoveButton, Rows, ToolNameField } from "./value-fields.tsx";

/** A tool of the world, as far as other fields need it. */
export interface KnownTool {
  readonly name: string;
  readonly parameters: readonly string[];
}

/** The tools of a world with the names of their parameters. */
export const knownTools = (world: JsonRecord | null): readonly KnownTool[] =>
  asList(world?.["tools"]).map((tool) => ({
    name: asText(asRecord(tool)["name"]),
    parameters: Object.keys(asRecord(asRecord(asRecord(tool)["parameters"])["properties"])),
  }));

interface CallListProps {
  readonly title: string;
  readonly hint?: string;
  readonly calls: readonly unknown[];
  readonly tools: readonly KnownTool[];
  readonly problems: readonly FieldProblem[];
  readonly pointer: string;
  /** A call may be a name alone, as in rules. */
  readonly names?: boolean;
  readonly onChange: (calls: readonly unknown[]) => void;
}

/** Tool calls, each with its arguments or any. */
export function CallList({ title, hint, calls, tools, problems, pointer, names = false, onChange }: CallListProps) {
  const add = (): void => {
    const name = tools[0]?.name ?? "";
    onChange([...calls, names ? name : { name, arguments: {} }]);
  };
  return (
    <Rows title={title} addLabel="call" onAdd={add} {...(hint !== undefined && { hint })}>
      {calls.map((call, index) => (
        <div key={index} className="flex items-start gap-1">
          <CallFields
            label={`${title} ${index + 1}`}
            call={call}
            tools={tools}
            problems={problems}
            pointer={`${pointer}/${index}`}
            onChange={(next) => onChange(calls.with(index, next))}
          />
          <RemoveButton
            label={`Remove ${title.toLowerCase()} ${index + 1}`}
            last={index === calls.length - 1}
            onRemove={() => onChange(calls.toSpliced(index, 1))}
          />
        </div>
      ))}
    </Rows>
  );
}

interface CallFieldsProps {
  readonly label: string;
  readonly call: unknown;
  readonly tools: readonly KnownTool[];
  readonly problems: readonly FieldProblem[];
  readonly pointer: string;
  readonly onChange: (call: unknown) => void;
}

/** One call: the tool, and its arguments unless any are right. A name alone stays one until arguments are added. */
export function CallFields({ label, call, tools, problems, pointer, onChange }: CallFieldsProps) {
  const isName = typeof call === "string";
  const record = asRecord(call);
  const name = isName ? call : asText(record["name"]);
  const given = isName ? undefined : record["arguments"];
  const args = asRecord(given);
  const parameters = tools.find((tool) => tool.name === name)?.parameters ?? [];
  const next = parameters.find((parameter) => !Object.hasOwn(args, parameter)) ?? "";
  return (
    <div className="grid min-w-0 grow grid-cols-[minmax(0,1fr)] gap-2 rounded-md border border-line p-2">
      <div className="grid items-start gap-2 sm:grid-cols-2">
        <ToolNameField
          label={`${label}: tool`}
          value={name}
          tools={tools.map((tool) => tool.name)}
          problems={[...problemsAt(problems, `${pointer}/name`), ...exactly(problems, pointer)]}
          onText={(text) => onChange(isName ? text : { ...record, name: text })}
        />
        <SelectField
          label={`${label}: arguments`}
          value={given === undefined ? "any" : "named"}
          options={[
            { id: "any", label: "any" },
            { id: "named", label: "as named below" },
          ]}
          onChoice={(choice) =>
            onChange(
              choice === "any"
                ? withField({ ...record, name }, "arguments", undefined)
                : { ...record, name, arguments: {} },
            )
          }
        />
      </div>
      {given !== undefined && (
        <EntryRows
          title="Arguments"
          noun="argument"
          entries={args}
          kinds={expectedKinds}
          fresh={[next, ""]}
          keyPlaceholder="order_id"
          suggestions={parameters}
          problems={problems}
          pointer={`${pointer}/arguments`}
          onChange={(next) => onChange({ ...record, name, arguments: next })}
        />
      )}
    </div>
  );
}

const exactly = (problems: readonly FieldProblem[], pointer: string): FieldProblem[] =>
  problems.filter((problem) => problem.pointer === pointer);

interface ReferenceCallsProps {
  /** Null: the calls of the turn are not compared. */
  readonly calls: readonly unknown[] | null;
  readonly tools: readonly KnownTool[];
  readonly problems: readonly FieldProblem[];
  readonly onChange: (calls: readonly unknown[] | null) => void;
}

/** The tool calls that a turn expects: not compared, none, or these. */
export function ReferenceCalls({ calls, tools, problems, onChange }: ReferenceCallsProps) {
  const pointer = "/reference_tool_calls";
  const choice = calls === null ? "unset" : calls.length === 0 ? "none" : "these";
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <SelectField
        label="Expected tool calls"
        value={choice}
        problems={exactly(problems, pointer)}
        options={[
          { id: "unset", label: "not compared" },
          { id: "none", label: "no call expected" },
          { id: "these", label: "these calls" },
        ]}
        onChoice={(next) =>
          onChange(next === "unset" ? null : next === "none" ? [] : [{ name: tools[0]?.name ?? "", arguments: {} }])
        }
      />
      {calls !== null && calls.length > 0 && (
        <CallList
          title="Expected call"
          calls={calls}
          tools={tools}
          problems={problems}
          pointer={pointer}
          onChange={onChange}
        />
      )}
    </div>
  );
}

const matchingOptions = {
  order: { label: "Order of calls", any: "any order", strict: "as listed" },
  extra: { label: "Other calls", allow: "allowed", forbid: "wrong" },
  extra_arguments: { label: "Other arguments", forbid: "wrong", allow: "ignored" },
  text: { label: "Texts in arguments", exact: "exact", loose: "case, punctuation and spaces aside" },
} as const;

interface MatchingFieldsProps {
  readonly matching: JsonRecord | null;
  readonly problems: readonly FieldProblem[];
  readonly onChange: (matching: JsonRecord | null) => void;
}

/** The rules by which calls are compared with the expected ones. */
export function MatchingFields({ matching, problems, onChange }: MatchingFieldsProps) {
  const rules = matching ?? {};
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2 xl:grid-cols-4">
      {Object.entries(matchingOptions).map(([name, { label, ...choices }]) => (
        <SelectField
          key={name}
          label={label}
          value={asText(rules[name])}
          problems={problemsAt(problems, `/tool_matching/${name}`)}
          options={[
            { id: "", label: "as in the run" },
            ...Object.entries(choices).map(([id, text]) => ({ id, label: text })),
          ]}
          onChoice={(choice) => {
            const next = withField(rules, name, choice === "" ? undefined : choice);
            onChange(Object.keys(next).length === 0 ? null : next);
          }}
        />
      ))}
    </div>
  );
}
