import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The files that take longest, started first. Without figures of an earlier run vitest starts with the largest files, and
 * these are small: started last, they would run alone at the end.
 */
const longest = [
  "test/page/page.test.ts",
  "test/conformance/postgres.test.ts",
  "test/services/agent-restart.test.ts",
  "test/cli/package.test.ts",
  "test/conformance/agent-memory.test.ts",
  "test/torture/postgres.test.ts",
  "test/torture/sqlite.test.ts",
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
