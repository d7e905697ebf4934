import { Argument, type Command } from "commander";
import { z } from "zod";
import { EvaluationRequest } from "../../../contract/schemas/evaluation-request.ts";
import { EvaluationResponse } from "../../../contract/schemas/evaluation-response.ts";
import { InteractionInput, ScenarioFields } from "../../../contract/schemas/scenario.ts";
import { SimulatedUser } from "../../../contract/schemas/acting/simulated-user.ts";
import { Config } from "../../config/config.ts";
import { printLine } from "../../terminal/output.ts";

const Turn = InteractionInput.partial({ id: true }).meta({ id: "ScenarioTurn" });

const fields = ScenarioFields.partial({ id: true });
const editor = { $schema: z.string().optional() };
const ScriptedScenario = fields.extend({ ...editor, interactions: z.array(Turn).min(1) });
/** A simulated user needs no scripted turns. */
const SimulatedScenario = fields.extend({ ...editor, interactions: z.array(Turn).optional(), user: SimulatedUser });
const FileScenario = z.union([ScriptedScenario, SimulatedScenario]).meta({ id: "FileScenario" });

/** A document of a scenario file: like a request's scenarios, but ids are optional and a list is allowed. */
const ScenarioDocument = z.union([FileScenario, z.array(FileScenario).min(1)]).meta({ id: "ScenarioDocument" });

const schemas = {
  request: { schema: EvaluationRequest, io: "input" },
  result: { schema: EvaluationResponse, io: "output" },
  scenario: { schema: ScenarioDocument, io: "input" },
  config: { schema: Config, io: "input" },
} as const;

/** `rehearsal schema` */
export function declare(command: Command): void {
  command
    .addArgument(new Argument("<name>", "which schema").choices(Object.keys(schemas)))
    .action((name: keyof typeof schemas) => printLine(JSON.stringify(jsonSchemaOf(name), null, 2)));
}

/** A JSON Schema (draft 2020-12) for editors and other languages. */
export function jsonSchemaOf(name: keyof typeof schemas): object {
  const { schema, io } = schemas[name];
  const isByHand = name === "scenario" || name === "config";
  const free = name === "scenario" ? "^(x-|metadata$)" : "^x-";
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    reused: "inline",
    ...(isByHand && { override: (object) => closeObject(object, free) }),
  });
}

/** In files written by hand an unknown field is an error, except for those that match `free`. */
function closeObject(
  { zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema },
  free: string,
) {
  if (zodSchema._zod.def.type !== "object" || typeof jsonSchema.additionalProperties === "object") return;
  jsonSchema.additionalProperties = false;
  jsonSchema.patternProperties = { ...jsonSchema.patternProperties, [free]: {} };
}
