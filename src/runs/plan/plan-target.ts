import { toPointer } from "../../base/json.ts";
import type { FieldError } from "../../contract/errors.ts";
import type { EvaluationPlan, EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import {
  isLocalTarget,
  targetAddress,
  type DeclaredTarget,
  type Target,
} from "../../contract/schemas/acting/target.ts";
import { allowsTarget, callOf } from "../../models/targets/target-binding.ts";
import { isStateless, targetProblems } from "../../models/targets/template.ts";
import { invalidFieldsError } from "./fields-error.ts";
import type { PlanHelpers } from "./option-problems.ts";

/** A request whose endpoint is an address or the target itself. */
type ResolvedRequest = Omit<EvaluationRequest, "endpoint"> & {
  readonly endpoint: Exclude<EvaluationRequest["endpoint"], DeclaredTarget>;
};
type Asked = Pick<ResolvedRequest, "endpoint" | "protocol">;

/** Puts the declared target in the place of its name. */
export function withDeclaredTarget(request: EvaluationRequest, helpers: PlanHelpers): ResolvedRequest {
  const { endpoint } = request;
  if (typeof endpoint === "string" || !("target" in endpoint)) return { ...request, endpoint };
  const { targets = {}, boundVariables = [], trust } = helpers;
  const name = endpoint.target;
  const refuse = (message: string): never => {
    throw invalidFieldsError([{ pointer: "/endpoint/target", code: "unknown", message, received: name }]);
  };
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (!target) {
    const known = Object.keys(targets);
    const listed = known.length > 0 ? `it knows ${known.slice(0, 30).join(", ")}` : "its rehearsal.yaml declares none";
    return refuse(`names no target of this service: ${listed}`);
  }
  if (isLocalTarget(target)) {
    return trust === "operator"
      ? { ...request, endpoint: target }
      : refuse("is a program on the service's machine, which only rehearsal eval starts");
  }
  for (const header of Object.values(target.headers ?? {})) {
    if (typeof header === "string") continue;
    if (boundVariables.some((bound) => bound.name === header.env && allowsTarget(bound, target))) continue;
    return refuse(`needs the environment variable ${header.env}, which the service does not have`);
  }
  return { ...request, endpoint: target };
}

/** The endpoint of a request as runs store it: an address and a protocol, and the object if the request has one. */
export function planTarget({
  endpoint,
  protocol,
}: Asked): Pick<EvaluationPlan, "endpoint" | "protocol" | "target" | "world_address"> {
  if (typeof endpoint === "string") return { endpoint, protocol };
  const kind = "url" in endpoint ? (endpoint.protocol ?? "http") : "module" in endpoint ? "module" : "command";
  const world = "url" in endpoint ? endpoint.world : undefined;
  return {
    endpoint: targetAddress(endpoint),
    protocol: kind,
    target: endpoint,
    ...(world && { world_address: world }),
  };
}

/** Problems of the endpoint beyond its schema. */
export function targetOptionProblems(
  request: Asked & Pick<EvaluationRequest, "history" | "replay_first_bad_turn">,
  { trust, boundVariables = [] }: PlanHelpers,
): FieldError[] {
  const { endpoint, protocol } = request;
  if (typeof endpoint === "string") {
    if (protocol !== "http" && protocol !== "module" && protocol !== "command") return [];
    const message = `needs an object in endpoint, such as {"url": "https://…", "body": {"message": "{{message}}"}, "reply": "/reply"}`;
    return [{ pointer: "/protocol", code: "conflict", message }];
  }
  if (isLocalTarget(endpoint)) {
    if (trust === "operator") return [];
    const name = "module" in endpoint ? "module" : "command";
    const message = "is accepted only by rehearsal eval on the machine of its user, not in a request";
    return [{ pointer: `/endpoint/${name}`, code: "not_allowed", message }];
  }
  const problems = targetProblems(endpoint).map((problem) => ({ ...problem, pointer: `/endpoint${problem.pointer}` }));
  if (problems.length > 0) return problems;
  return [
    ...Object.entries(endpoint.headers ?? {}).flatMap(([name, value]) => {
      if (typeof value === "string") return [];
      if (boundVariables.some((bound) => bound.name === value.env && allowsTarget(bound, endpoint))) return [];
      const message = `names a variable that is not bound to this call: ${howToBind(endpoint, value.env)}`;
      return [{ pointer: toPointer(["endpoint", "headers", name, "env"]), code: "not_allowed", message }];
    }),
    ...historyProblems(request, endpoint),
  ];
}

/** EVAL_CREDENTIALS binds to a fixed address, for POST. */
function howToBind(target: Target, name: string): string {
  const { url, method } = callOf(target);
  const path = url.replace(/[?#].*$/s, "");
  return method === "POST" && !path.includes("{{")
    ? `declare the target in rehearsal.yaml, or let the operator set EVAL_CREDENTIALS=${path}=${name}`
    : "declare the target in rehearsal.yaml";
}

/** Recorded conversations happened once, and as they are written. */
export function recordedProblems(
  {
    protocol,
    test_batch,
    history = "generated",
    replay_first_bad_turn,
  }: Pick<EvaluationRequest, "protocol" | "test_batch" | "history" | "replay_first_bad_turn">,
  attempts: number,
): FieldError[] {
  if (protocol !== "recorded") return [];
  const conflict = (pointer: string, message: string): FieldError => ({ pointer, code: "conflict", message });
  const scenarios = [test_batch].flat();
  const at = (index: number): string => (Array.isArray(test_batch) ? `/test_batch/${index}` : "/test_batch");
  return [
    ...(attempts === 1 ? [] : [conflict("/attempts", "must be 1 with protocol recorded: a reply was recorded once")]),
    ...(history === "generated" ? [] : [conflict("/history", "has no meaning with protocol recorded")]),
    ...(replay_first_bad_turn
      ? [conflict("/replay_first_bad_turn", "cannot be combined with protocol recorded: nothing is called")]
      : []),
    ...scenarios.flatMap(({ user, interactions }, index) => {
      if (user) return [conflict(`${at(index)}/user`, "must be left out with protocol recorded: nothing is called")];
      const isRecorded = interactions.some(({ agent_reply, tool_calls = [] }) => agent_reply || tool_calls.length > 0);
      const message = "must have a recorded reply in agent_reply: with protocol recorded nothing is called";
      return isRecorded ? [] : [conflict(`${at(index)}/interactions`, message)];
    }),
  ];
}

/** An agent that keeps the conversation itself, or acts in a world of its own, cannot be shown another conversation. */
function historyProblems(
  { history = "generated", replay_first_bad_turn }: Pick<EvaluationRequest, "history" | "replay_first_bad_turn">,
  target: Target,
): FieldError[] {
  if (isStateless(target) && !target.world) return [];
  const message = target.world
    ? "cannot be combined with a world of the target: all turns of an attempt act in one world"
    : "needs a target that is sent the whole conversation with {{messages}}: this one keeps it itself";
  if (history !== "generated") return [{ pointer: "/history", code: "conflict", message }];
  return replay_first_bad_turn ? [{ pointer: "/replay_first_bad_turn", code: "conflict", message }] : [];
}
