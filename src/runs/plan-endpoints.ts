import type { RunSettings } from "../contract/schemas/evaluation-request.ts";

/** An address a run would call, and where the request names it. */
export interface PlannedEndpoint extends Pick<RunSettings, "endpoint" | "protocol"> {
  readonly pointer: string;
}

/** Every address a run would call: the model under test, its judge, its labeller. Each has to pass the endpoint policy. */
export function planEndpoints(
  settings: Pick<RunSettings, "endpoint" | "protocol" | "judge" | "labeller">,
): readonly PlannedEndpoint[] {
  const { endpoint, protocol } = settings;
  return [{ pointer: "/endpoint", endpoint, protocol }, ...helperEndpoints(settings)];
}

/** The addresses of its judge and its labeller alone: those that scoring a run again would call. */
export function helperEndpoints({
  judge,
  labeller,
}: Pick<RunSettings, "judge" | "labeller">): readonly PlannedEndpoint[] {
  const helpers = [
    { pointer: "/judge/endpoint", helper: judge },
    { pointer: "/labeller/endpoint", helper: labeller },
  ];
  return helpers.flatMap(({ pointer, helper }) =>
    helper?.endpoint === undefined
      ? []
      : [{ pointer, endpoint: helper.endpoint, protocol: helper.protocol ?? "openai-chat" }],
  );
}
