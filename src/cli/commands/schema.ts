import { Argument, type Command } from "commander";
import { z } from "zod";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { Config } from "../config/config.ts";
import { ScenarioDocument } from "../scenarios/scenario-document.ts";
import { printLine } from "../terminal/output.ts";

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
    .action((name: keyof typeof schemas) => printLine(JSON.stringify(jsonSchema(name), null, 2)));
}

/** JSON Schema (draft 2020-12), for editors and other languages. */
export function jsonSchema(name: keyof typeof schemas): object {
  const { schema, io } = schemas[name];
  return z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline" });
}
