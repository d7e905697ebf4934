import { readFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { interactionResult, runResult, scenarioResult } from "../../formats/testing/run-result.ts";
import { digestResults } from "../../formats/export/results/run-digest.ts";
import { githubReporter } from "./github.ts";

test("cuts a long summary after a whole row", async () => {
  await using folder = await temporaryFolder();
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const turn = interactionResult({ overall: 1 });
  const scenarios = Array.from({ length: 5_000 }, (_, index) =>
    scenarioResult(`${index} ${"@somebody ".repeat(18)}`, [[turn]]),
  );
  const response = runResult(scenarios);
  const reporter = githubReporter({ GITHUB_STEP_SUMMARY: folder.file("summary.md") });
  const judged = { digest: digestResults(response), gates: [], comparison: null, exitCode: 0, problems: [] } as const;
  await reporter.onEnd?.({ ...judged, results: async () => response }, { number: 1, of: 1 });
  const text = await readFile(folder.file("summary.md"), "utf8");
  vi.restoreAllMocks();
  expect(text.length).toBeGreaterThan(900_000);
  expect(text).toMatch(/\| `\d+ [@a-z ]+` \|[^`]+\|\n\nThe summary is too long for GitHub; the rest is left out\.\n$/);
});
