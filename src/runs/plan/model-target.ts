import type { FieldError } from "../../contract/errors/errors.ts";
import type { RunPolicy } from "../../contract/schemas/shared/endpoint-policy.ts";
import type { LabellerSettings, RunSettings } from "../../contract/schemas/evaluation-request.ts";

/** The settings needed to call a model and to price its calls. */
export type ModelTarget = Pick<
  RunSettings,
  "endpoint" | "model_id" | "protocol" | "priority" | "target" | "world_address" | "tool_support"
> & {
  /** The owner of the calls. Default: none. */
  readonly owner?: string | null;
  /** The endpoint policy of the run. Default: only the policy of this process applies. */
  readonly policy?: RunPolicy | null;
};

/** The judge or labeller of a run. Missing settings default to those of the model under test. */
export function helperTarget(
  settings: RunSettings,
  { endpoint = settings.endpoint, model_id = settings.model_id, protocol = "openai-chat" }: LabellerSettings,
): ModelTarget {
  return { endpoint, model_id, protocol, priority: settings.priority };
}

/** The judge or labeller of a request, or the problems that prevent finding it. It never defaults to the model under test. */
export function resolveHelper(
  noun: "judge" | "labeller" | "simulator",
  { endpoint, model_id, protocol = "openai-chat" }: LabellerSettings,
): { readonly target: ModelTarget | null; readonly problems: readonly FieldError[] } {
  const lacks = (field: string, message: string) => ({
    target: null,
    problems: [{ pointer: `/${noun}/${field}`, code: "required", message }],
  });
  if (endpoint === undefined) {
    return lacks("endpoint", `is required: no ${noun} is set on this service (${noun.toUpperCase()}_ENDPOINT)`);
  }
  if (model_id === undefined) return lacks("model_id", "is required when an endpoint is given");
  return { target: { endpoint, model_id, protocol }, problems: [] };
}

/**
 * Fills in the operator's judge or labeller, unless the request names another endpoint: model and protocol may be unknown there.
 */
export function withOperatorDefaults<Settings extends LabellerSettings>(
  requested: Settings,
  operator: LabellerSettings = {},
): Settings {
  const isOwn = requested.endpoint !== undefined && requested.endpoint !== operator.endpoint;
  return isOwn ? requested : { ...operator, ...requested };
}

/** Removes the fields that equal the operator's defaults. */
export function withoutOperatorDefaults<Settings extends LabellerSettings>(
  asked: Settings,
  operator: LabellerSettings = {},
): Settings {
  if (asked.endpoint !== operator.endpoint) return asked;
  const known = new Map<string, unknown>(Object.entries(operator));
  return Object.fromEntries(Object.entries(asked).filter(([name, value]) => known.get(name) !== value)) as Settings;
}
