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
  const find = (wanted: string): string | undefined => names.find((name) => sameName(name) === sameName(wanted));
  const mapped = (wanted: string): string => {
    const name = names.find((candidate) => candidate === wanted) ?? find(wanted);
    if (name === undefined)
      throw new FormatError(`there is no column "${wanted}"; the columns are ${names.join(", ")}`);
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
    return {
      roles,
      labels,
      unused: rest
        .filter((name) => !labels.includes(name))
        .map((name) => ({ name, reason: "it is not among the labels" })),
    };
  }
  const rival = (name: string): ColumnRole | undefined =>
    columnRoles.find(
      (role) => role !== "scenario_id" && roleNames[role].some((known) => sameName(known) === sameName(name)),
    );
  const unused = rest.flatMap((name) => {
    const role = rival(name);
    return role ? [{ name, reason: `${roles[role]} is taken as ${role}; map ${role}=${name} to take this one` }] : [];
  });
  return { roles, labels: rest.filter((name) => !rival(name)), unused };
}
