import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { evaluationService, agentService } from "../../scripts/reference/api-services.ts";
import { viewOpenApi } from "../../scripts/reference/open-api-view.ts";
import { commands } from "../../src/cli/commands.ts";
import { protocols } from "../../src/contract/protocols/protocols.ts";
import { root } from "./markdown.ts";

const page = readFileSync(join(root, "docs/choosing.md"), "utf8");
const operations = [...evaluationService.operations, ...agentService.operations];
const schemas = [evaluationService, agentService].map(({ title, lead, operations: own }) =>
  JSON.stringify(viewOpenApi({ title, version: "", description: lead, operations: own })),
);
/** All names of the contract: routes, fields, values, protocols and commands. */
const names = [
  ...operations.map(({ id, address }) => `${id} ${address}`),
  ...schemas.flatMap((text) => [...text.matchAll(/"([\w-]+)"/g)].map(([, name]) => name ?? "")),
  ...Object.keys(protocols),
  ...commands.map(({ name }) => name),
].join("\n");

/** What would be in the contract if the page were wrong. */
const absent: Readonly<Record<string, RegExp>> = {
  "red teaming": /red.?team|attack|adversar/i,
  "prompt management": /prompts? .*\/prompts|prompt.?version/i,
  "fine-tuning": /fine.?tuning|training.?job/i,
  voice: /voice|audio_input|realtime/i,
  "user accounts": /\/login|\/users|\boidc\b|password/i,
};

test("what the page says is missing, is missing from the contract", () => {
  const [, table = ""] = /\| missing[^\n]*\n([\s\S]*?)\n\n/.exec(page) ?? [];
  const missing = table
    .split("\n")
    .slice(1)
    .map((row) => row.split("|")[1]?.trim() ?? "");
  expect(missing).toEqual(Object.keys(absent));
  const wrong = Object.entries(absent).filter(([, pattern]) => pattern.test(names));
  expect(wrong.map(([claim]) => claim)).toEqual([]);
});

/** What the page claims, and the name of the contract that delivers it. */
const present: Readonly<Record<string, RegExp>> = {
  "pass^k": /^pass_hat_k$/m,
  "simulated user": /^simulator$/m,
  "tools and a state that every attempt has new": /^world$/m,
  "intervals over": /^ci_lower$/m,
  "not worse by": /^not_worse_by$/m,
  "stop as soon as": /^until$/m,
  "AI SDK route": /^ui-messages$/m,
  "LangGraph server": /^langgraph$/m,
  "AG-UI": /^ag-ui$/m,
  A2A: /^a2a$/m,
  "Several people can judge": /^rater$/m,
  audited: /auditJudge/,
  corrected: /correctScores/,
  budget: /^budget$/m,
};

test.each(Object.entries(present))("the page claims %s, and the contract has it", (claim, name) => {
  expect(page.replaceAll(/\s+/g, " ")).toContain(claim);
  expect(names).toMatch(name);
});
