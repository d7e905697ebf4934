import type { RunRecord } from "../../contract/ports/store.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";

/** An endpoint that a run would call, and the field that names it. */
export interface PlannedEndpoint extends Pick<RunSettings, "endpoint" | "protocol"> {
  readonly pointer: string;
}

/** Every endpoint a run would call: model under test, judge and labeller. Each must pass the endpoint policy. */
export function planEndpoints(
  settings: Pick<RunSettings, "endpoint" | "protocol" | "judge" | "labeller" | "sequence">,
): readonly PlannedEndpoint[] {
  const { endpoint, protocol, sequence } = settings;
  const { endpoint: other, protocol: otherProtocol = protocol } = sequence?.against ?? {};
  return [
    { pointer: "/endpoint", endpoint, protocol },
    ...(other === undefined
      ? []
      : [{ pointer: "/attempts/against/endpoint", endpoint: other, protocol: otherProtocol }]),
    ...helperEndpoints(settings),
  ];
}

/** The endpoints of judge and labeller, which are all that rescoring calls. */
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

/** True when a run tests the agent of the command that started it. The modules of worlds tie a run too, but no agent uses those. */
export function testsOwnAgent({ tied, settings }: Pick<RunRecord, "tied" | "settings">): boolean {
  return tied && settings.protocol === "agent";
}

/**
 * The endpoint as compared between runs. An agent started by the command line has a new address each time and counts as the
 * same.
 */
export function testedEndpoint(endpoint: string, ownAgent: boolean): string {
  return ownAgent ? "agent" : endpoint;
}
