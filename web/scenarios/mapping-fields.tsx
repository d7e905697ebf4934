import { TextField } from "../parts/text-field.tsx";

const roles = [
  { role: "user", label: "User message", placeholder: "question" },
  { role: "reference", label: "Reference reply", placeholder: "answer" },
  { role: "scenario_id", label: "Scenario id", placeholder: "conversation_id" },
  { role: "turn", label: "Order of turns", placeholder: "turn" },
  { role: "labels", label: "Labels (a|b)", placeholder: "intent|sentiment" },
] as const;

export type Mapping = Readonly<Record<(typeof roles)[number]["role"], string>>;

export const emptyMapping: Mapping = { user: "", reference: "", scenario_id: "", turn: "", labels: "" };

/** As the service reads it: `user=question,reference=answer`. Empty when nothing is mapped. */
export const toMapping = (mapping: Mapping): string =>
  roles
    .filter(({ role }) => mapping[role].trim() !== "")
    .map(({ role }) => `${role}=${mapping[role].trim()}`)
    .join(",");

interface MappingFieldsProps {
  readonly mapping: Mapping;
  readonly onChange: (mapping: Mapping) => void;
}

/** Which column says what, where the names do not tell. */
export function MappingFields({ mapping, onChange }: MappingFieldsProps) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium">
        Columns <span className="font-normal text-soft">(empty: found by their names)</span>
      </legend>
      <div className="grid gap-3 sm:grid-cols-3 lg:grid-cols-5">
        {roles.map(({ role, label, placeholder }) => (
          <TextField
            key={role}
            label={label}
            placeholder={placeholder}
            value={mapping[role]}
            onText={(text) => onChange({ ...mapping, [role]: text })}
          />
        ))}
      </div>
    </fieldset>
  );
}
