import { stringify } from "yaml";
import type { ExportResult, FileInteraction, FileScenario } from "../scenario-file.ts";

/** One document per scenario, without the fields that only say a default: these files are written and read by people. */
export function exportScenarioYaml(scenarios: readonly FileScenario[]): ExportResult {
  const documents = scenarios.map((scenario) => stringify(leanScenario(scenario), { lineWidth: 0 }));
  return { text: documents.join("---\n"), notes: [] };
}

function leanScenario({ id, description, system_prompt, tags, interactions }: FileScenario): object {
  return {
    id,
    ...(description !== "" && { description }),
    ...(system_prompt !== undefined && { system_prompt }),
    ...(tags && { tags }),
    interactions: interactions.map(leanInteraction),
  };
}

function leanInteraction(interaction: FileInteraction): object {
  const { id, user_message, agent_reply, reference_reply, references, interaction_type } = interaction;
  const { reference_metadata, checks, generated_metadata } = interaction;
  return {
    id,
    ...(interaction_type !== undefined && { interaction_type }),
    user_message,
    ...(reference_reply !== "" && { reference_reply }),
    ...(references && { references }),
    ...(agent_reply !== "" && { agent_reply }),
    ...(Object.keys(reference_metadata).length > 0 && { reference_metadata }),
    ...(checks && { checks }),
    ...(Object.keys(generated_metadata).length > 0 && { generated_metadata }),
  };
}
