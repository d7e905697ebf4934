import { firstCharacters } from "../../base/text.ts";
import { columnRoles, roleNames, type ColumnMapping, type ColumnRole } from "../column-mapping.ts";
import { FormatError } from "../format-error.ts";
import { sameName } from "../records.ts";

export interface ColumnPlan {
  readonly roles: Readonly<Partial<Record<ColumnRole, string>>>;
  /** Columns whose cells are expected labels. */
  readonly labels: readonly string[];
  /** Columns nobody uses, with the reason. */
  readonly unused: readonly { readonly name: string; readonly reason: string }[];
}

/** Says what each column of a table is, from the mapping first and from its name otherwise. */
export function assignColumns(names: readonly string[], mapping: ColumnMapping): ColumnPlan {
  const roles: Partial<Record<ColumnRole, string>> = {};
  const given = new Set(names);
  const bySameName = firstOf(names.map((name) => [sameName(name), name]));
  const find = (wanted: string): string | undefined => bySameName.get(sameName(wanted));
  const mapped = (wanted: string): string => {
    const name = given.has(wanted) ? wanted : find(wanted);
    if (name === undefined) throw new FormatError(`there is no column "${wanted}"; the columns are ${listed(names)}`);
    return name;
  };
  for (const role of columnRoles) {
    const wanted = mapping[role];
    if (wanted !== undefined) roles[role] = mapped(wanted);
  }
  const chosen = new Set([...Object.values(roles), ...(mapping.labels ?? []).map(mapped)]);
  for (const role of columnRoles.filter((candidate) => roles[candidate] === undefined)) {
    const name = roleNames[role].map(find).find((candidate) => candidate !== undefined && !chosen.has(candidate));
    if (name === undefined) continue;
    roles[role] = name;
    chosen.add(name);
  }
  const used = new Set(Object.values(roles));
  const rest = names.filter((name) => !used.has(name));
  if (mapping.labels) {
    const labels = mapping.labels.map(mapped);
    const taken = new Set(labels);
    return {
      roles,
      labels,
      unused: rest.filter((name) => !taken.has(name)).map((name) => ({ name, reason: "it is not among the labels" })),
    };
  }
  const rival = (name: string): ColumnRole | undefined => rivals.get(sameName(name));
  const unused = rest.flatMap((name) => {
    const role = rival(name);
    return role ? [{ name, reason: `${roles[role]} is taken as ${role}; map ${role}=${name} to take this one` }] : [];
  });
  return { roles, labels: rest.filter((name) => !rival(name)), unused };
}

/** A file that is no table may have thousands of columns, or one that is as long as the file. */
const mostListed = 20;
const longestName = 100;

/** Names of columns as a message tells them. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostListed).map((name) => {
    const start = firstCharacters(name, longestName);
    return start.includes(",") ? `"${start}"` : start;
  });
  return shown.join(", ") + (names.length > mostListed ? ` and ${names.length - mostListed} more` : "");
}

/** What a column of each name would be, was no other that already. */
const rivals = firstOf(
  columnRoles
    .filter((role) => role !== "scenario_id")
    .flatMap((role) => roleNames[role].map((known): [string, ColumnRole] => [sameName(known), role])),
);

/** Of several under one key the first. */
function firstOf<Value>(entries: readonly (readonly [string, Value])[]): ReadonlyMap<string, Value> {
  return new Map(entries.toReversed());
}
