import { z } from "zod";
import { InteractionInput, ScenarioInput } from "../../contract/schemas/scenario.ts";

const Turn = InteractionInput.partial({ id: true }).meta({ id: "ScenarioTurn" });

const FileScenario = ScenarioInput.extend({ interactions: z.array(Turn).min(1) })
  .partial({ id: true })
  .meta({ id: "FileScenario" });

/** A document of a scenario file: as a request has it, but that ids are made where they are left out, and that there may be a list. */
export const ScenarioDocument = z.union([FileScenario, z.array(FileScenario).min(1)]).meta({ id: "ScenarioDocument" });
