import type { LabellerSettings } from "../contract/schemas/evaluation-request.ts";

/**
 * A judge or labeller as it is asked: the operator's stands in for what the request does not name, but not behind another endpoint,
 * where neither its model nor its protocol need be known.
 */
export function withOperator<Settings extends LabellerSettings>(
  requested: Settings,
  operator: LabellerSettings = {},
): Settings {
  const isOwn = requested.endpoint !== undefined && requested.endpoint !== operator.endpoint;
  return isOwn ? requested : { ...operator, ...requested };
}

/** What a request has to name of it: the fields in which it differs from the operator's. */
export function withoutOperator<Settings extends LabellerSettings>(
  asked: Settings,
  operator: LabellerSettings = {},
): Settings {
  if (asked.endpoint !== operator.endpoint) return asked;
  const known = new Map<string, unknown>(Object.entries(operator));
  return Object.fromEntries(Object.entries(asked).filter(([name, value]) => known.get(name) !== value)) as Settings;
}
