import { offersTools, type LocalTarget, type Target } from "../../contract/schemas/acting/target.ts";
import type { TargetBinding } from "../../models/targets/target-binding.ts";
import { toPointer } from "../../base/json.ts";
import type { FieldError } from "../../contract/errors/errors.ts";
import type {
  EvaluationRequest,
  JudgeSettings,
  LabellerSettings,
  Trust,
} from "../../contract/schemas/evaluation-request.ts";
import { scorerNames } from "../../scoring/scorers/scores.ts";
import { scorerProblems, turnCheckProblems } from "../../evaluation/checks/scorer-problems.ts";
import type { Expectations } from "./expectations.ts";
import { checkError, type LocatedTurn } from "./request-checks.ts";
import { resolveHelper, withOperatorDefaults } from "./model-target.ts";
import { weighableScores } from "./score-names.ts";

/** The operator's offer: default judge and labeller, and custom scorers. */
export interface PlanHelpers {
  readonly judge?: LabellerSettings;
  readonly labeller?: LabellerSettings;
  readonly simulator?: LabellerSettings | undefined;
  readonly customScorers?: readonly string[];
  /** False without an embedder: `semantic_similarity` cannot be requested then. */
  readonly semantic?: boolean;
  /** Default: `request`. */
  readonly trust?: Trust;
  /** Variables with secrets that the headers of targets may name. */
  readonly boundVariables?: readonly TargetBinding[];
  /** Targets that requests may name. */
  readonly targets?: Readonly<Record<string, Target | LocalTarget>> | undefined;
}

/** Options with rules beyond the schema of each field. */
type Options = Pick<
  EvaluationRequest,
  | "scorers"
  | "weights"
  | "judge"
  | "labeller"
  | "simulator"
  | "history"
  | "replay_first_bad_turn"
  | "protocol"
  | "world_address"
  | "tool_support"
> & {
  readonly endpoint?: EvaluationRequest["endpoint"];
  /** True when a scenario needs a simulator. */
  readonly simulated?: boolean;
  /** The first scenario with a simulated user. */
  readonly userPointer?: string | null;
  readonly turns: readonly LocatedTurn[];
  readonly expectations: Expectations;
};

/** Problems of the options beyond the schema of each field. */
export function optionProblems(request: Options, helpers: PlanHelpers): FieldError[] {
  return [
    ...scorersProblems(request, helpers),
    ...judgeProblems(request.judge, helpers),
    ...(request.labeller ? helperProblems("labeller", request.labeller, helpers) : []),
    ...simulatorProblems(request, helpers),
    ...replayProblems(request),
    ...worldAddressProblems(request),
    ...toolSupportProblems(request),
    ...weightProblems(request, helpers),
  ];
}

function available({ customScorers = [], semantic = true }: PlanHelpers): string[] {
  return [...scorerNames.filter((name) => semantic || name !== "semantic_similarity"), ...customScorers];
}

/** Problems of the run's and the turns' checks, except patterns and schemas that cannot be compiled. */
export function scorersProblems(
  { scorers = [], turns }: Pick<Options, "scorers" | "turns">,
  helpers: PlanHelpers,
): FieldError[] {
  const ofTurns = turnCheckProblems(
    turns.map(({ checks }) => checks),
    { scorers, available: available(helpers), trust: helpers.trust },
  );
  return [
    ...scorerProblems(scorers, available(helpers), { trust: helpers.trust }).map((problem) =>
      checkError(`/scorers/${problem.index}`, problem),
    ),
    ...ofTurns.map((problem) => checkError(`${turns[problem.turn]?.pointer}/${problem.index}`, problem)),
  ];
}

function judgeProblems(judge: JudgeSettings | undefined, helpers: PlanHelpers): FieldError[] {
  if (!judge) return [];
  const { rubric, rubrics = [] } = judge;
  const names = rubrics.map(({ name }) => name);
  return [
    ...helperProblems("judge", judge, helpers),
    ...(rubric !== undefined && rubrics.length > 0
      ? [{ pointer: "/judge/rubric", code: "conflict", message: "give either rubric or rubrics, not both" }]
      : []),
    ...names.flatMap((name, index) =>
      names.indexOf(name) < index
        ? [{ pointer: `/judge/rubrics/${index}/name`, code: "duplicate_name", message: "is used by an earlier rubric" }]
        : [],
    ),
    ...(rubrics.length > 0 && rubrics.every(({ weight }) => weight === 0)
      ? [{ pointer: "/judge/rubrics", code: "too_small", message: "must contain a weight above 0" }]
      : []),
  ];
}

/** A simulated user answers the agent's own replies, so it needs generated history. */
function simulatorProblems(request: Options, helpers: PlanHelpers): FieldError[] {
  const { simulator, simulated = false, userPointer = null, judge, history, replay_first_bad_turn } = request;
  const conflict = (pointer: string, message: string): FieldError => ({ pointer, code: "conflict", message });
  const unscripted = "needs reference replies, which the turns of a simulated user do not have";
  return [
    ...(simulated || simulator ? helperProblems("simulator", simulator ?? {}, helpers) : []),
    ...(userPointer !== null && (history === "reference" || history === "both")
      ? [conflict("/history", `${unscripted} (${userPointer}); leave it out or use "generated"`)]
      : []),
    ...(userPointer !== null && replay_first_bad_turn
      ? [conflict("/replay_first_bad_turn", `${unscripted} (${userPointer})`)]
      : []),
    ...(simulator?.review && !judge
      ? [conflict("/simulator/review", "needs a judge: add `judge` to the request")]
      : []),
  ];
}

function helperProblems(noun: "judge" | "labeller" | "simulator", requested: LabellerSettings, helpers: PlanHelpers) {
  return resolveHelper(noun, withOperatorDefaults(requested, helpers[noun])).problems;
}

/** Headers that every call has anyway, or that carry a key. */
const takenHeaders = new Set([
  "authorization",
  "content-type",
  "content-length",
  "host",
  "x-model-id",
  "x-api-key",
  "accept",
]);

/** Only a model is offered tools by us. */
function toolSupportProblems({ tool_support, endpoint, protocol }: Options): FieldError[] {
  if (tool_support !== "prompted" || (typeof endpoint === "string" && offersTools({ protocol }))) return [];
  const message = "needs a model endpoint: an agent is offered no tools, or takes them by {{tools}}";
  return [{ pointer: "/tool_support", code: "conflict", message }];
}

/** An agent acts in one world for the whole conversation, so it needs its own replies as history. */
function worldAddressProblems(options: Options): FieldError[] {
  const { world_address, endpoint, protocol, history, replay_first_bad_turn } = options;
  if (!world_address) return [];
  const conflict = (pointer: string, message: string): FieldError => ({ pointer, code: "conflict", message });
  const { header } = world_address;
  return [
    ...(typeof endpoint === "object"
      ? [conflict("/world_address", "must be left out: the target in endpoint has a field world for it")]
      : protocol === "agent"
        ? []
        : [conflict("/world_address", "needs protocol agent: a model is offered the tools themselves")]),
    ...(header !== undefined && takenHeaders.has(header.toLowerCase())
      ? [conflict("/world_address/header", "is a header that the request has already")]
      : []),
    ...(history === "reference" || history === "both"
      ? [conflict("/history", "must be generated with world_address: all turns of an attempt act in one world")]
      : []),
    ...(replay_first_bad_turn
      ? [conflict("/replay_first_bad_turn", "cannot be combined with world_address: all turns act in one world")]
      : []),
  ];
}

function replayProblems({ history, replay_first_bad_turn }: Options): FieldError[] {
  if (!replay_first_bad_turn || history !== "reference") return [];
  return [
    {
      pointer: "/replay_first_bad_turn",
      code: "conflict",
      message: 'has no effect with history "reference": every turn has reference history already',
    },
  ];
}

/** A request may have a thousand checks, and each wrong weight lists the known names. */
const shownNames = 30;

function listedNames(names: readonly string[]): string {
  const more = names.length - shownNames;
  return `${names.slice(0, shownNames).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function weightProblems(options: Options, helpers: PlanHelpers): FieldError[] {
  const { weights, expectations } = options;
  if (!weights) return [];
  const { customScorers = [], semantic } = helpers;
  const known = weighableScores(options, { expectations, customScorers, semantic });
  const isLabel = (name: string): boolean => known.has("metadata_match") && name.startsWith("metadata.");
  const names = listedNames([...known, ...(known.has("metadata_match") ? ["metadata.<key>"] : [])]);
  const problems = Object.keys(weights)
    .filter((name) => !known.has(name) && !isLabel(name))
    .map((name) => ({
      pointer: toPointer(["weights", name]),
      code: "unknown_score",
      message: `is not a score of this run. Its scores: ${names}`,
    }));
  if (problems.length === 0 && Object.values(weights).every((weight) => weight === 0)) {
    return [{ pointer: "/weights", code: "too_small", message: "must contain a weight above 0" }];
  }
  return problems;
}
