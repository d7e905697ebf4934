import type { PageLimit } from "../../contract/schemas/service-info.ts";
import type { Settings } from "../../settings.ts";
import { numberVariables } from "../../settings/number-variables.ts";
import type { NumberVariable } from "../../settings/numbers/number-variable.ts";

/** The limits of requests and calls as they stand, each with the variable that moves it. */
export function pageLimits(settings: Pick<Settings, "limits" | "concurrency">): PageLimit[] {
  return [
    ...toLimits(numberVariables.limits, settings.limits),
    ...toLimits(numberVariables.concurrency, settings.concurrency),
  ];
}

const toLimits = <Key extends string>(
  variables: Readonly<Record<Key, NumberVariable>>,
  values: Readonly<Record<Key, number>>,
): PageLimit[] =>
  (Object.keys(variables) as Key[]).map((key) => ({
    name: variables[key].name,
    meaning: variables[key].meaning,
    value: values[key],
  }));
