import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const url = (path: string): string => new URL(`../${path}`, import.meta.url).href;

/** A check and a scorer as a contributor would write them: a file each, and a place in the list. */
const shouts = `
import { z } from "zod";
import { checkFields } from "${url("src/scoring/checks/check-fields.ts")}";
import { defineCheck } from "${url("src/scoring/checks/define-check.ts")}";
export const shouts = defineCheck({
  schema: z.object({ type: z.literal("shouts"), ...checkFields, least: z.int().min(1).default(1) }),
  id: "ShoutsSetting",
  label: "Shouts",
  help: "1 when the reply has this many exclamation marks.",
  form: { fresh: { least: 2 }, fields: { least: "Marks at least" } },
  runs: "thread",
  problem: ({ least }) => least > 9 ? { field: "least", code: "too_small", message: "is more than anybody shouts" } : null,
  compile: ({ least }) => ({ reply }) => {
    const count = reply.raw.split("!").length - 1;
    return { value: count >= least ? 1 : 0, reason: count + " marks" };
  },
});`;
const sameLength = `
import { defineScorer } from "${url("src/scoring/scorers/define-scorer.ts")}";
export const sameLength = defineScorer({
  name: "same_length",
  label: "same length",
  help: "as long as the reference",
  byDefault: true,
  needs: ["reference"],
  similarity: true,
  replyRank: 2.5,
  compare: ({ reply, reference }) => ({ value: reply.raw.length === reference.raw.length ? 1 : 0, reason: "counted" }),
});`;

/** Runs in a process of its own, whose lists have the two entries. */
const program = `
import { registerHooks } from "node:module";
const entry = (text) => "data:text/javascript," + encodeURIComponent(text);
const changes = {
  "/src/scoring/checks/checks.ts": ["const checks = [", "const checks = [shouts, ", "shouts", ${JSON.stringify(shouts)}],
  "/src/scoring/scorers/scores.ts": ["const scorers = [", "const scorers = [sameLength, ", "sameLength", ${JSON.stringify(sameLength)}],
};
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "zod" && context.parentURL?.startsWith("data:")
      ? next(specifier, { ...context, parentURL: ${JSON.stringify(import.meta.url)} })
      : next(specifier, context),
  load(address, context, next) {
    const loaded = next(address, context);
    const change = Object.entries(changes).find(([path]) => address.endsWith(path))?.[1];
    if (!change) return loaded;
    const [list, longer, name, text] = change;
    const source = String(loaded.source);
    if (!source.includes(list)) throw new Error("the list of " + address + " is not there");
    return { ...loaded, source: "import { " + name + " } from " + JSON.stringify(entry(text)) + ";" + source.replace(list, longer) };
  },
});
const load = (path) => import(new URL(path, ${JSON.stringify(url("src/"))}).href);
const { checkForms } = await load("contract/schemas/scores/checks.data.ts");
const { namedScoreFacts } = await load("contract/schemas/scores/scores.data.ts");
const { reservedScores } = await load("contract/schemas/scores/score-names.ts");
const { ScorerSetting, TurnCheck } = await load("contract/schemas/scores/scorer-setting.ts");
const { toComponentSchemas } = await load("contract/operations/openapi-schemas.ts");
const { scorerProblems } = await load("evaluation/checks/scorer-problems.ts");
const { scorerNames } = await load("scoring/scorers/scores.ts");
const { createScoring } = await load("evaluation/scoring.ts");
const { scoreInteraction } = await load("evaluation/score-interaction.ts");
const { runScoreNames } = await load("runs/plan/score-names.ts");
const { readExpectations } = await load("runs/plan/expectations.ts");
const setting = TurnCheck.parse({ type: "shouts", negate: true });
const interaction = { id: "1", user_message: "hi", interaction_type: "turn", reference_reply: "abc", reference_metadata: {}, checks: [setting] };
const stored = await scoreInteraction({
  interaction,
  reply: { agent_reply: "a!!", generated_metadata: {}, latency_ms: 1, first_token_ms: null, error: null, finish_reason: null },
  scoring: createScoring({ candidates: new Map(), settings: { scorers: [ScorerSetting.parse({ type: "shouts", name: "loud" })] } }),
});
const scenarios = [{ id: "a", interactions: [interaction] }];
console.log(JSON.stringify({
  form: checkForms.shouts,
  published: toComponentSchemas({ inputs: [TurnCheck], outputs: [] }).components.ShoutsSetting,
  listed: namedScoreFacts.find(({ name }) => name === "same_length"),
  reserved: reservedScores.has("same_length"),
  unknown: scorerProblems(["same_lenght"], scorerNames),
  refused: scorerProblems([ScorerSetting.parse({ type: "shouts", least: 10 })], scorerNames),
  scores: stored.scores,
  why: stored.score_reasons.overall,
  names: [...runScoreNames({}, { expectations: readExpectations(scenarios), customScorers: [] })],
}));
`;

test("a check and a scorer that are added to their lists are in the API document, the page's data, errors and scores", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  const found = JSON.parse(stdout) as Record<string, unknown>;
  expect(found).toMatchObject({
    form: {
      label: "Shouts",
      fresh: { type: "shouts", least: 2 },
      options: { least: { kind: "number", label: "Marks at least" }, negate: { kind: "flag" } },
    },
    published: { description: "1 when the reply has this many exclamation marks." },
    listed: { label: "same length", help: "as long as the reference", byDefault: true, needs: ["reference"] },
    reserved: true,
    unknown: [{ code: "unknown_scorer", message: expect.stringContaining('did you mean "same_length"?') }],
    refused: [{ field: "least", message: "is more than anybody shouts" }],
    scores: { same_length: 1, loud: 1, shouts: 0, overall: 0.75 },
    why: expect.stringContaining("same_length"),
    names: expect.arrayContaining(["same_length", "shouts"]),
  });
});
