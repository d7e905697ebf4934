import { afterAll, beforeAll, describe } from "vitest";
import { accessibilitySuite } from "./suites/accessibility.ts";
import { auditSuite } from "./suites/audit.ts";
import { chatAnswersSuite } from "./suites/chat-answers.ts";
import { chatModelsSuite } from "./suites/chat-models.ts";
import { chatToolCallsSuite } from "./suites/chat-tool-calls.ts";
import { chatSuite } from "./suites/chat.ts";
import { compareSuite } from "./suites/compare.ts";
import { followedRunSuite } from "./suites/followed-run.ts";
import { hiddenPageSuite } from "./suites/hidden-page.ts";
import { hostileTextSuite } from "./suites/hostile-text.ts";
import { largeRunsSuite } from "./suites/large-runs.ts";
import { modelsSettingsSuite } from "./suites/models-settings.ts";
import { newRunSuite } from "./suites/new-run.ts";
import { newcomerSuite } from "./suites/newcomer.ts";
import { printingSuite } from "./suites/printing.ts";
import { rankSuite } from "./suites/rank.ts";
import { reportSuite } from "./suites/report.ts";
import { runSuite } from "./suites/run.ts";
import { runsSuite } from "./suites/runs.ts";
import { scenarioDraftsSuite } from "./suites/scenario-drafts.ts";
import { scenarioEditorSuite } from "./suites/scenario-editor.ts";
import { scenarioImportSuite } from "./suites/scenario-import.ts";
import { scenariosSuite } from "./suites/scenarios.ts";
import { transcriptSuite } from "./suites/transcript.ts";
import { weightSuite } from "./suites/weight.ts";
import { startPageContext, type PageContext } from "./support/page-context.ts";

// One file for all suites: one browser, unpacked and started once.
let context: PageContext;
const browser = () => context.browser;

beforeAll(async () => {
  context = await startPageContext();
});
afterAll(() => context.browser.close());

describe("runs", () => {
  runsSuite(browser);
});
describe("run", () => {
  runSuite(browser);
});
describe("followed run", () => {
  followedRunSuite(browser);
});
describe("large runs", () => {
  largeRunsSuite(browser);
});
describe("hidden page", () => {
  hiddenPageSuite(browser);
});
describe("transcript", () => {
  transcriptSuite(browser);
});
describe("new run", () => {
  newRunSuite(browser);
});
describe("chat", () => {
  chatSuite(browser);
  chatModelsSuite(browser);
  chatAnswersSuite(browser);
  chatToolCallsSuite(browser);
});
describe("scenarios", () => {
  scenariosSuite(browser);
  scenarioEditorSuite(browser);
  scenarioDraftsSuite(browser);
  scenarioImportSuite(browser);
});
describe("compare", () => {
  compareSuite(browser);
});
describe("rank", () => {
  rankSuite(browser);
});
describe("audit", () => {
  auditSuite(browser);
});
describe("models and settings", () => {
  modelsSettingsSuite(browser);
});
describe("newcomer", () => {
  newcomerSuite(browser);
});
describe("printing", () => {
  printingSuite(browser);
});
describe("report", () => {
  reportSuite(browser);
});
describe("hostile text", () => {
  hostileTextSuite(browser);
});
describe("accessibility", () => {
  accessibilitySuite(browser);
});
describe("weight", () => {
  weightSuite(browser);
});
