import { evaluate, scenarioIds, type EvaluateOptions } from "./evaluate.ts";

/** `test` of vitest, Jest or `node:test`. */
export type TestFunction = (name: string, run: () => Promise<void>, timeoutMs: number) => unknown;

export interface TestScenariosOptions extends Omit<EvaluateOptions, "scenarios" | "only" | "signal"> {
  /** Files, folders or patterns. */
  readonly scenarios: string | readonly string[];
  /** How long the test of one scenario may take. Default: 10 minutes. */
  readonly timeoutMs?: number;
}

/**
 * Declares one test for each scenario of the files. A scenario that does not pass fails its test, with what was said, called and
 * wanted. Gates hold for each scenario.
 *
 * @example
 * import { test } from "node:test"; // or from "vitest", or from "@jest/globals"
 * await testScenarios(test, { scenarios: "scenarios/*.yaml", target: myAgent, attempts: 3, gates: ["pass^3>=0.9"] });
 */
export async function testScenarios(test: TestFunction, options: TestScenariosOptions): Promise<void> {
  const { scenarios, timeoutMs = 600_000, ...rest } = options;
  const files = typeof scenarios === "string" ? [scenarios] : scenarios;
  const ids = await scenarioIds(files);
  // A file of tests without a test would pass.
  if (ids.length === 0) throw new Error(`there are no scenarios in ${files.join(", ")}`);
  for (const id of ids) {
    test(
      id,
      async () => {
        (await evaluate({ ...rest, scenarios: files, only: [id] })).check();
      },
      timeoutMs,
    );
  }
}
