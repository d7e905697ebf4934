import type { Interaction } from "../contract/schemas/scenario.ts";

/** What the judge is asked about a turn beside the questions of the run. */
export function rubricsOf({ checks = [] }: Pick<Interaction, "checks">) {
  return checks.filter((check) => check.type === "rubric");
}
