import { expect, test } from "vitest";
import { readyJudge, readyJudgeNames } from "../../scoring/judges/ready-judges.ts";
import { judgesWithCases, labelledCases } from "./labelled-cases.ts";

test("fourteen judges have twenty labelled cases each, with every verdict among them", () => {
  expect(judgesWithCases).toEqual(readyJudgeNames.filter((name) => !name.startsWith("context_")));
  for (const name of judgesWithCases) {
    const cases = labelledCases(name);
    const choices = Object.keys(readyJudge(name).choices);
    expect([name, cases.length]).toEqual([name, 20]);
    expect(new Set(cases.map(({ verdict }) => verdict))).toEqual(new Set(choices));
    for (const { turns } of cases) expect(turns.every(({ reply }) => reply !== null)).toBe(true);
  }
});
