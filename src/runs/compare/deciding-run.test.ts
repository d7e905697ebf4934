import { expect, test } from "vitest";
import type { NotWorseMeasure } from "../../contract/schemas/comparison.ts";
import { decidingRun } from "./deciding-run.ts";

const side = (model_id: string, endpoint = "http://models/v1") => ({ model_id, endpoint });
const undecided = (...plans: readonly NonNullable<NotWorseMeasure["would_decide"]>[]) => ({
  verdict: "undecided" as const,
  sentence: "",
  family_error: 0.05,
  measures: plans.map((would_decide) => ({ would_decide, scenarios: 30 }) as NotWorseMeasure),
});
const both = { baseline: side("old"), candidate: side("new"), margins: { overall: 0.02 } };

test("names the commands for more attempts", () => {
  expect(decidingRun(undecided({ scenarios: 90, attempts: 2, cheaper: "attempts" }), both)).toBe(
    [
      "To decide it, run both with 2 attempts:",
      "  rehearsal eval --model old --attempts 2",
      "  rehearsal eval --model new --attempts 2 --baseline latest --not-worse-by 0.02",
    ].join("\n"),
  );
});

test("names the number of scenarios to add, or draws them from the files that have them", () => {
  const plan = undecided({ scenarios: 149, attempts: null, cheaper: "scenarios" });
  const options = { ...both, attempts: 3, words: ["suite/"] };
  expect(decidingRun(plan, options)).toContain(
    "add about 119 scenarios (149 in all) and run both again:\n  rehearsal eval suite/ --model old --attempts 3\n",
  );
  expect(decidingRun(plan, { ...options, available: 200 })).toContain(
    "with 149 of the 200 scenarios:\n  rehearsal eval suite/ --model old --attempts 3 --sample 149 --seed 1\n",
  );
});

test("several measures need the largest of their sizes, and different endpoints are named", () => {
  const plan = undecided(
    { scenarios: 90, attempts: 2, cheaper: "attempts" },
    { scenarios: 149, attempts: null, cheaper: "scenarios" },
  );
  const text = decidingRun(plan, {
    ...both,
    candidate: side("new", "http://other/v1"),
    margins: { overall: 0.02, success: 0.1 },
  });
  expect(text).toContain("149 in all");
  expect(text).toContain(
    "--endpoint http://other/v1 --model new --baseline latest --not-worse-by overall=0.02,success=0.1",
  );
});

test("targets on this machine, of a configuration and of another protocol are named so that the commands run", () => {
  const plan = undecided({ scenarios: 149, attempts: null, cheaper: "scenarios" });
  const baselines = [
    [
      { ...side("old", "command:python3 old bot.py"), protocol: "command" as const },
      '--target-command "python3 old bot.py"',
    ],
    [{ ...side("old", "module:/suite/old.mjs"), protocol: "module" as const }, "--target /suite/old.mjs"],
    [{ ...side("old", "http://bot/api"), protocol: "http" as const }, "--target old"],
    [
      { ...side("old", "http://bot/ag-ui"), protocol: "ag-ui" as const },
      "--endpoint http://bot/ag-ui --protocol ag-ui",
    ],
  ] as const;
  for (const [baseline, words] of baselines) {
    const text = decidingRun(plan, { ...both, baseline, words: ["suite/"], chosen: ["--target", "new.mjs"] });
    expect(text).toContain(`\n  rehearsal eval suite/ ${words} --model old\n`);
    expect(text).toContain("\n  rehearsal eval suite/ --target new.mjs --model new --baseline latest");
  }
  const same = decidingRun(plan, { ...both, chosen: ["--target", "bot"] });
  expect(same).toContain("rehearsal eval --target bot --model old\n");
});

test("says nothing when nothing would decide it, or when it is decided", () => {
  expect(decidingRun(undecided({ scenarios: null, attempts: null, cheaper: null }), both)).toBeNull();
  expect(decidingRun({ ...undecided(), verdict: "worse" }, both)).toBeNull();
  const plan = undecided({ scenarios: 90, attempts: null, cheaper: "scenarios" });
  const unpriced = { name: "cost_per_turn", effect: null, would_decide: null } as NotWorseMeasure;
  expect(decidingRun({ ...plan, measures: [...plan.measures, unpriced] }, both)).toBeNull();
});
