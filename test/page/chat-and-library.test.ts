import { describe } from "vitest";
import { accessibilitySuite } from "./suites/accessibility.ts";
import { agentRunsSuite } from "./suites/agent-runs.ts";
import { chatSuite } from "./suites/chat.ts";
import { chatAnswersSuite } from "./suites/chat-answers.ts";
import { chatModelsSuite } from "./suites/chat-models.ts";
import { chatToolCallsSuite } from "./suites/chat-tool-calls.ts";
import { hostileTextSuite } from "./suites/hostile-text.ts";
import { modelsSettingsSuite } from "./suites/models-settings.ts";
import { newRunSuite } from "./suites/new-run.ts";
import { newcomerSuite } from "./suites/newcomer.ts";
import { scenarioDraftsSuite } from "./suites/scenario-drafts.ts";
import { scenarioEditorSuite } from "./suites/scenario-editor.ts";
import { scenarioImportSuite } from "./suites/scenario-import.ts";
import { scenariosSuite } from "./suites/scenarios.ts";
import { weightSuite } from "./suites/weight.ts";
import { useBrowser } from "./support/page-context.ts";

const browser = useBrowser();

describe("accessibility", () => {
  accessibilitySuite(browser);
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
describe("agent runs", () => {
  agentRunsSuite(browser);
});
describe("scenarios", () => {
  scenariosSuite(browser);
  scenarioEditorSuite(browser);
  scenarioDraftsSuite(browser);
  scenarioImportSuite(browser);
});
describe("models and settings", () => {
  modelsSettingsSuite(browser);
});
describe("newcomer", () => {
  newcomerSuite(browser);
});
describe("hostile text", () => {
  hostileTextSuite(browser);
});
describe("weight", () => {
  weightSuite(browser);
});
