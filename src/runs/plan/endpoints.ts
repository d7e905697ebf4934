import type { RunRecord } from "../../contract/ports/store.ts";
import type { LabellerSettings, RunSettings } from "../../contract/schemas/evaluation-request.ts";
import { callsOf } from "../../models/targets/target-calls.ts";
import { isLocalTarget } from "../../contract/schemas/acting/target.ts";

/** An endpoint that a run would call, and the field that names it. */
export interface PlannedEndpoint extends Pick<RunSettings, "endpoint" | "protocol"> {
  readonly pointer: string;
}

/** Every endpoint a run would call: model under test, simulator, judge and labeller. Each must pass the endpoint policy. */
export function planEndpoints(
  settings: Pick<RunSettings, "endpoint" | "protocol" | "target" | "judge" | "labeller" | "simulator" | "sequence">,
): readonly PlannedEndpoint[] {
  const { endpoint, protocol, target, simulator, sequence } = settings;
  const { endpoint: other, protocol: otherProtocol = protocol } = sequence?.against ?? {};
  const others = [
    ...(other === undefined
      ? []
      : [{ pointer: "/attempts/against/endpoint", endpoint: other, protocol: otherProtocol }]),
    ...helperEndpoints(settings),
    ...endpointOf("/simulator/endpoint", simulator),
  ];
  // A target on this machine is no address, and recorded replies come from none.
  if ((target && isLocalTarget(target)) || protocol === "recorded") return others;
  if (!target) return [{ pointer: "/endpoint", endpoint, protocol }, ...others];
  const around = callsOf(target).slice(1);
  return [
    // The policy knows HTTP: a WebSocket begins as a request of HTTP to the same address.
    { pointer: "/endpoint/url", endpoint: endpoint.replace(/^ws(?=s?:)/i, "http"), protocol },
    ...around.map(({ pointer, url }) => ({ pointer: `/endpoint${pointer}/url`, endpoint: url, protocol })),
    ...others,
  ];
}

/** The endpoints of judge and labeller, which are all that rescoring calls. */
export function helperEndpoints({
  judge,
  labeller,
}: Pick<RunSettings, "judge" | "labeller">): readonly PlannedEndpoint[] {
  const panel = (judge?.panel ?? []).flatMap((member, index) => endpointOf(`/judge/panel/${index}/endpoint`, member));
  return [...endpointOf("/judge/endpoint", judge), ...panel, ...endpointOf("/labeller/endpoint", labeller)];
}

function endpointOf(pointer: string, helper: LabellerSettings | undefined): readonly PlannedEndpoint[] {
  if (helper?.endpoint === undefined) return [];
  return [{ pointer, endpoint: helper.endpoint, protocol: helper.protocol ?? "openai-chat" }];
}

/**
 * True when a run tests the agent of the command that started it, which listens at a bare address of this machine. The modules of
 * worlds tie a run too, whatever model it tests.
 */
export function testsOwnAgent({ tied, settings }: Pick<RunRecord, "tied" | "settings">): boolean {
  const { protocol, endpoint } = settings;
  const url = URL.parse(endpoint);
  return tied && (protocol === "agent" || (url?.hostname === "127.0.0.1" && url.pathname === "/"));
}

/**
 * The endpoint as compared between runs. An agent started by the command line has a new address each time and counts as the
 * same.
 */
export function testedEndpoint(endpoint: string, ownAgent: boolean): string {
  return ownAgent ? "agent" : endpoint;
}
