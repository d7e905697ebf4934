import type { EvaluationPlan, RunSettings } from "../contract/evaluation-request.ts";

/** An address a run would call, and where the request names it. */
interface PlannedEndpoint extends Pick<RunSettings, "endpoint" | "protocol"> {
  readonly pointer: string;
}

/** Every address a run would call: the model under test, its judge, its labeller. Each has to pass the endpoint policy. */
export function planEndpoints({ endpoint, protocol, judge, labeller }: EvaluationPlan): readonly PlannedEndpoint[] {
  const helpers = [
    { pointer: "/judge/endpoint", helper: judge },
    { pointer: "/labeller/endpoint", helper: labeller },
  ];
  return [
    { pointer: "/endpoint", endpoint, protocol },
    ...helpers.flatMap(({ pointer, helper }) =>
      helper?.endpoint === undefined
        ? []
        : [{ pointer, endpoint: helper.endpoint, protocol: helper.protocol ?? "openai-chat" }],
    ),
  ];
}
