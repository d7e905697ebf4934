import { z } from "zod";
import { checkEntries } from "../../../scoring/checks/checks.ts";
import { typeOf, type CheckEntry, type FieldHint } from "../../../scoring/checks/define-check.ts";

/** A setting of a check in a form: its control and its label. */
export type CheckOption =
  | { readonly kind: "text" | "texts" | "json" | "number"; readonly label: string; readonly placeholder?: string }
  | { readonly kind: "flag"; readonly label: string; readonly otherwise: boolean }
  | { readonly kind: "choice"; readonly label: string; readonly choices: Readonly<Record<string, string>> };

export interface CheckForm {
  readonly label: string;
  readonly help: string;
  /** The settings of a new check. */
  readonly fresh: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, CheckOption>>;
}

/** The settings of every check, which come after its own. */
const commonHints = { negate: "must not hold", weight: { label: "Weight", placeholder: "1" } };

/** The forms of checks by their type. Code of users runs only from files, so its checks have none. */
export const checkForms: Readonly<Record<string, CheckForm>> = Object.fromEntries(
  checkEntries.flatMap((entry) => {
    const { form, label, help } = entry;
    if (!form) return [];
    const type = typeOf(entry);
    return [[type, { label, help, fresh: { type, ...form.fresh }, options: toOptions(entry) }]];
  }),
);

function toOptions({ schema, form }: CheckEntry): Record<string, CheckOption> {
  const { properties = {} } = z.toJSONSchema(z.object(schema.shape), { io: "input", unrepresentable: "any" });
  const hints: Readonly<Record<string, string | FieldHint>> = { ...form?.fields, ...commonHints, ...form?.fields };
  const own = Object.keys(hints).filter((name) => !(name in commonHints));
  const options: Record<string, CheckOption> = {};
  for (const name of [...own, ...Object.keys(commonHints)]) {
    const [hint = name, field] = [hints[name], properties[name]];
    if (typeof field === "object") options[name] = toOption(field, typeof hint === "string" ? { label: hint } : hint);
  }
  return options;
}

function toOption(field: z.core.JSONSchema.BaseSchema, { label, placeholder, kind, choices }: FieldHint): CheckOption {
  if (field.type === "boolean") return { kind: "flag", label, otherwise: field.default === true };
  const values = field.enum?.map(String);
  if (values) return { kind: "choice", label, choices: choices ?? Object.fromEntries(values.map((id) => [id, id])) };
  return placeholder === undefined
    ? { kind: kind ?? fieldKind(field), label }
    : { kind: kind ?? fieldKind(field), label, placeholder };
}

function fieldKind({ type, anyOf }: z.core.JSONSchema.BaseSchema): "text" | "texts" | "json" | "number" {
  if (type === "string") return "text";
  if (type === "number" || type === "integer") return "number";
  return anyOf?.some((part) => typeof part === "object" && part.type === "string") ? "texts" : "json";
}
