import { expect, test } from "vitest";
import { Interaction, type Scenario } from "../../contract/schemas/scenario.ts";
import { labelCandidates } from "./label-candidates.ts";

/** One scenario whose interactions have this many references and labelled keys. */
function scenarioOf(count: { interactions: number; references: number; keys: number }): Scenario {
  const reference_metadata = Object.fromEntries(Array.from({ length: count.keys }, (_, key) => [`k${key}`, "label"]));
  const references = Array.from({ length: count.references }, (_, index) => `reference ${index}`);
  const interactions = Array.from({ length: count.interactions }, (_, index) =>
    Interaction.parse({
      id: `${index}`,
      user_message: "",
      references,
      interaction_type: "opening",
      reference_metadata,
    }),
  );
  return { id: "s", description: "", tags: [], interactions };
}

function countExamples(scenario: Scenario): number {
  const labels = [...labelCandidates([scenario]).values()].flatMap((key) => [...key.values()]);
  return labels.reduce((sum, { examples }) => sum + examples.length, 0);
}

test.each([
  [{ interactions: 100, references: 10, keys: 64 }, 64_000],
  [{ interactions: 1, references: 2_000, keys: 2 }, 2_000],
  [{ interactions: 1, references: 20_000, keys: 500 }, 62_500],
  [{ interactions: 200, references: 1_000, keys: 64 }, 89_600],
  [{ interactions: 2_000, references: 2, keys: 64 }, 128_000],
])("limits examples that multiply with keys: %j", (count, examples) => {
  expect(countExamples(scenarioOf(count))).toBe(examples);
});
