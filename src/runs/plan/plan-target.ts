import { compact } from "../../base/compact.ts";
import { canonicalJson, toPointer } from "../../base/json.ts";
import type { FieldError } from "../../contract/errors/errors.ts";
import { isProtocolOf } from "../../contract/protocols/protocols.ts";
import type { EvaluationPlan, EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import {
  isLocalTarget,
  targetAddress,
  type DeclaredTarget,
  type Target,
} from "../../contract/schemas/acting/target.ts";
import { allowsDescribed } from "../../models/targets/target-binding.ts";
import { callsOf, type DescribedCall, type TargetCall } from "../../models/targets/target-calls.ts";
import { isStateless, targetProblems } from "../../models/targets/template.ts";
import { invalidFieldsError } from "./fields-error.ts";
import type { PlanHelpers } from "./option-problems.ts";
import type { ScenarioVisitor } from "./walk-scenarios.ts";

/** A request whose endpoint is an address or the target itself. */
export type ResolvedRequest = Omit<EvaluationRequest, "endpoint"> & {
  readonly endpoint: Exclude<EvaluationRequest["endpoint"], DeclaredTarget>;
};
type TargetQuestion = Pick<ResolvedRequest, "endpoint" | "protocol">;

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
  for (const { call, header } of secretHeaders(target)) {
    if (!("env" in header)) continue;
    if (boundVariables.some((bound) => bound.name === header.env && allowsDescribed(bound, call))) continue;
    return refuse(`needs the environment variable ${header.env}, which the service does not have`);
  }
  return { ...request, endpoint: target };
}

/** The endpoint of a request as runs store it: an address and a protocol, and the object if the request has one. */
export function planTarget({
  endpoint,
  protocol,
}: TargetQuestion): Pick<EvaluationPlan, "endpoint" | "protocol" | "target" | "world_address"> {
  if (typeof endpoint === "string") return { endpoint, protocol };
  const kind = "url" in endpoint ? (endpoint.protocol ?? "http") : "module" in endpoint ? "module" : "command";
  const world = "url" in endpoint ? endpoint.world : undefined;
  return compact({
    endpoint: targetAddress(endpoint),
    protocol: kind,
    target: endpoint,
    world_address: world,
  });
}

/** Problems of the endpoint beyond its schema. */
export function targetOptionProblems(
  request: TargetQuestion & Pick<EvaluationRequest, "history" | "replay_first_bad_turn">,
  { trust, boundVariables = [], targets }: PlanHelpers,
): FieldError[] {
  const { endpoint, protocol } = request;
  if (typeof endpoint === "string") {
    if (!isProtocolOf(protocol, "template", "code")) return [];
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
    ...secretHeaders(endpoint).flatMap(({ call, name, header }) => {
      const pointer = `/endpoint${call.pointer}${toPointer(["headers", name])}`;
      if (!("env" in header)) {
        if (trust === "operator" || isDeclared(endpoint, targets)) return [];
        const message = "is accepted only in rehearsal.yaml: a request starts no commands";
        return [{ pointer: `${pointer}/command`, code: "not_allowed", message }];
      }
      if (boundVariables.some((bound) => bound.name === header.env && allowsDescribed(bound, call))) return [];
      const message = `names a variable that is not bound to this call: ${howToBind(call, header.env)}`;
      return [{ pointer: `${pointer}/env`, code: "not_allowed", message }];
    }),
    ...historyProblems(request, endpoint),
  ];
}

/** The headers with secrets of every request of a target. */
function secretHeaders(target: Target) {
  return callsOf(target).flatMap((call: DescribedCall) =>
    Object.entries(call.headers).flatMap(([name, header]) =>
      typeof header === "string" ? [] : [{ call, name, header }],
    ),
  );
}

const isDeclared = (target: Target, targets: PlanHelpers["targets"] = {}): boolean =>
  Object.values(targets).some((known) => canonicalJson(known) === canonicalJson(target));

/** EVAL_CREDENTIALS binds to a fixed address, for POST. */
function howToBind({ url, method }: TargetCall, name: string): string {
  const path = url.replace(/[?#].*$/s, "");
  return method === "POST" && !path.includes("{{")
    ? `declare the target in rehearsal.yaml, or let the operator set EVAL_CREDENTIALS=${path}=${name}`
    : "declare the target in rehearsal.yaml";
}

/** Protocol `recorded` calls nothing: one attempt, no history mode, no simulated user. */
export function recordedProblems(
  { history = "generated", replay_first_bad_turn }: Pick<EvaluationRequest, "history" | "replay_first_bad_turn">,
  { attempts, ofScenarios }: { readonly attempts: number; readonly ofScenarios: readonly FieldError[] },
): FieldError[] {
  const problems: FieldError[] = [];
  if (attempts !== 1)
    problems.push(conflict("/attempts", "must be 1 with protocol recorded: a reply was recorded once"));
  if (history !== "generated") problems.push(conflict("/history", "has no meaning with protocol recorded"));
  if (replay_first_bad_turn) {
    const message = "cannot be combined with protocol recorded: nothing is called";
    problems.push(conflict("/replay_first_bad_turn", message));
  }
  return [...problems, ...ofScenarios];
}

type RecordedScenario = Exclude<EvaluationRequest["test_batch"], readonly unknown[]>;

/** Finds scenarios that have no recorded replies to score. */
export function createRecordedSurvey(): ScenarioVisitor<RecordedScenario> & {
  readonly problems: readonly FieldError[];
} {
  const problems: FieldError[] = [];
  let isRecorded = false;
  return {
    problems,
    enter() {
      isRecorded = false;
    },
    turn({ agent_reply, tool_calls = [] }) {
      isRecorded ||= agent_reply !== "" || tool_calls.length > 0;
    },
    leave({ user }, pointer) {
      if (user)
        problems.push(conflict(`${pointer}/user`, "must be left out with protocol recorded: nothing is called"));
      else if (!isRecorded) {
        const message = "must have a recorded reply in agent_reply: with protocol recorded nothing is called";
        problems.push(conflict(`${pointer}/interactions`, message));
      }
    },
  };
}

const conflict = (pointer: string, message: string): FieldError => ({ pointer, code: "conflict", message });

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
