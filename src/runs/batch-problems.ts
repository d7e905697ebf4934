import type { EvaluationRequest } from "../contract/schemas/evaluation-request.ts";
import type { FieldError } from "../contract/errors.ts";
import type { PlanLimits } from "./plan-limits.ts";

type Batch = EvaluationRequest["test_batch"];
export type ScenarioInput = Exclude<Batch, readonly unknown[]>;

/** Ids that are used twice, labels that are too large, and too many scores. */
export function batchProblems(batch: Batch, limits: PlanLimits): FieldError[] {
  const several = Array.isArray(batch);
  const inputs = several ? batch : [batch];
  const base = (index: number): string => (several ? `/test_batch/${index}` : "/test_batch");
  return [
    ...duplicates(inputs.map((input) => input.id)).map((index) =>
      duplicated(`${base(index)}/id`, "scenario", inputs[index]?.id),
    ),
    ...inputs.flatMap((input, index) => [
      ...duplicates(input.interactions.map((interaction) => interaction.id)).map((turn) =>
        duplicated(`${base(index)}/interactions/${turn}/id`, "interaction", input.interactions[turn]?.id),
      ),
      ...input.interactions.flatMap((interaction, turn) =>
        metadataProblems(
          interaction.reference_metadata,
          `${base(index)}/interactions/${turn}/reference_metadata`,
          limits,
        ),
      ),
    ]),
    ...scoreProblems(inputs, limits),
  ];
}

function duplicated(pointer: string, noun: string, id: string | undefined): FieldError {
  return {
    pointer,
    code: "duplicate_id",
    message: `is used by an earlier ${noun}; ${noun} ids must be unique`,
    received: (id ?? "").slice(0, 80),
  };
}

function metadataProblems(metadata: object, pointer: string, limits: PlanLimits): FieldError[] {
  const keys = Object.keys(metadata).length;
  if (keys > limits.metadataKeys) {
    return [
      { pointer, code: "too_big", message: `must have at most ${limits.metadataKeys} keys`, received: `${keys} keys` },
    ];
  }
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= limits.metadataBytes) return [];
  return [
    {
      pointer,
      code: "too_big",
      message: `must be at most ${limits.metadataBytes} bytes of JSON`,
      received: `${bytes} bytes`,
    },
  ];
}

/** Every score of a run has a mean for every scenario: scores that each turn has for itself alone would multiply. */
function scoreProblems(inputs: readonly ScenarioInput[], limits: PlanLimits): FieldError[] {
  const keys = new Set<string>();
  const checkNames = new Set<string>();
  for (const { reference_metadata, checks = [] } of inputs.flatMap(({ interactions }) => interactions)) {
    for (const key of Object.keys(reference_metadata)) keys.add(key);
    for (const { name } of checks) if (name !== undefined) checkNames.add(name);
  }
  const count = keys.size + checkNames.size;
  if (count <= limits.scores) return [];
  return [
    {
      pointer: "/test_batch",
      code: "too_big",
      message: `must have at most ${limits.scores} different keys of reference_metadata and names of checks (REHEARSAL_MAX_SCORES)`,
      received: String(count),
    },
  ];
}

/** Positions of the entries that repeat an earlier one. */
function duplicates(ids: readonly string[]): number[] {
  const seen = new Set<string>();
  return ids.flatMap((id, index) => {
    if (seen.has(id)) return [index];
    seen.add(id);
    return [];
  });
}
