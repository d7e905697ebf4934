import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * These take longest. A machine that has no figures of an earlier run begins with the largest files, and these are small, since their
 * tests are in others: begun last, they would go on alone when all else is done.
 */
const longest = [
  "test/page/page.test.ts",
  "test/services/agent-restart.test.ts",
  "test/torture/sqlite.test.ts",
  "test/conformance/postgres.test.ts",
  "test/simulation/simulation.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number => {
      const found = longest.findIndex((name) => moduleId.endsWith(`/${name}`));
      return found === -1 ? longest.length : found;
    };
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}
