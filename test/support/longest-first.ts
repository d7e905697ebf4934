import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The slowest files, which start first. Without durations of an earlier run vitest starts with the largest files; these are
 * small and would run alone at the end.
 */
const longest = [
  "test/page/chat-and-library.test.ts",
  "test/page/runs-and-results.test.ts",
  "test/conformance/postgres.test.ts",
  "test/services/agent-restart.test.ts",
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
