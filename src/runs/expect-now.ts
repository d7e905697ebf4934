import type { EvaluationRequest } from "../contract/schemas/evaluation-request.ts";
import type { Interaction, Scenario } from "../contract/schemas/scenario.ts";
import type { FieldError } from "../contract/errors.ts";
import { referenceReply } from "../evaluation/conversation.ts";
import { refuse } from "./fields-error.ts";
import type { ScoredBy } from "./scored-by.ts";

type Batch = EvaluationRequest["test_batch"];
type ScenarioInput = Exclude<Batch, readonly unknown[]>;

/**
 * The scenarios of a run with what is expected of them now. What the model was asked stays as it is: a reply says nothing about
 * another question, so a batch that asks for something else is refused.
 */
export function expectNow({ settings, scenarios }: ScoredBy, batch: Batch): readonly Scenario[] {
  const several = Array.isArray(batch);
  const inputs = several ? batch : [batch];
  const places = new Map(inputs.map((input, index) => [input.id, { input, pointer: several ? `/${index}` : "" }]));
  const seesReferences = settings.history === "reference" || settings.history === "both";
  const isTaught = seesReferences || settings.replay_first_bad_turn === true;
  const errors: FieldError[] = [];

  const now = scenarios.map((scenario) => {
    const place = places.get(scenario.id);
    if (!place) return scenario;
    const problems = problemsOf(scenario, place.input, isTaught);
    errors.push(...problems.map((error) => ({ ...error, pointer: `/test_batch${place.pointer}${error.pointer}` })));
    return problems.length > 0 ? scenario : withExpectations(scenario, place.input);
  });
  if (!scenarios.some(({ id }) => places.has(id))) {
    errors.push({ pointer: "/test_batch", code: "unknown_scenario", message: "has no scenario of this run" });
  }
  refuse(errors);
  return now;
}

function problemsOf({ interactions }: Scenario, input: ScenarioInput, isTaught: boolean): FieldError[] {
  if (input.interactions.length !== interactions.length) {
    const message = `must be the ${interactions.length} of the run; a reply says nothing about other turns`;
    return [{ pointer: "/interactions", code: "conflict", message, received: String(input.interactions.length) }];
  }
  return interactions.flatMap((asked, turn) => {
    const given = input.interactions[turn]!;
    const at = (field: string, message: string): FieldError[] => [
      { pointer: `/interactions/${turn}/${field}`, code: "conflict", message },
    ];
    if (given.id !== asked.id) return at("id", `must be "${asked.id}", as in the run`);
    if (given.user_message !== asked.user_message) return at("user_message", "must be what the run sent");
    const { reference_reply, references = [] } = given;
    if (isTaught && referenceReply({ ...asked, reference_reply, references }) !== referenceReply(asked)) {
      return at("reference_reply", "must be that of the run: the model saw it as history");
    }
    return [];
  });
}

function withExpectations(scenario: Scenario, input: ScenarioInput): Scenario {
  return {
    ...scenario,
    interactions: scenario.interactions.map((asked, turn): Interaction => {
      const { references: _references, checks: _checks, ...rest } = asked;
      const { reference_reply, references, reference_metadata, checks } = input.interactions[turn]!;
      return {
        ...rest,
        reference_reply,
        ...(references && { references }),
        reference_metadata,
        ...(checks && { checks }),
      };
    }),
  };
}
