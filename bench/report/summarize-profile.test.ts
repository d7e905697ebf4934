import { expect, test } from "vitest";
import { summarizeProfile } from "./summarize-profile.ts";

test("the dearest function comes first, and waiting is no work", () => {
  const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 4 });
  const summary = summarizeProfile({
    nodes: [
      { id: 1, callFrame: frame("(idle)", "") },
      { id: 2, callFrame: frame("store", "file:///home/someone/src/storage/store.ts") },
      { id: 3, callFrame: frame("parse", "file:///home/someone/node_modules/@scope/name/index.js") },
    ],
    samples: [1, 2, 3, 3],
    timeDeltas: [9_000, 1_000, 1_000, 2_000],
  });
  expect(summary).toMatch(
    /75\.0 % +3 ms +parse  @scope\/name\/index\.js:5\n25\.0 % +1 ms +store  src\/storage\/store\.ts:5/,
  );
  expect(summary).not.toContain("idle");
});
