import { describe } from "vitest";
import { reviewSuite } from "./suites/review.ts";
import { compareSuite } from "./suites/compare.ts";
import { followedRunSuite } from "./suites/followed-run.ts";
import { hiddenPageSuite } from "./suites/hidden-page.ts";
import { largeRunsSuite } from "./suites/large-runs.ts";
import { printingSuite } from "./suites/printing.ts";
import { rankSuite } from "./suites/rank.ts";
import { reportSuite } from "./suites/report.ts";
import { runSuite } from "./suites/run.ts";
import { runsSuite } from "./suites/runs.ts";
import { transcriptSuite } from "./suites/transcript.ts";
import { useBrowser } from "./support/page-context.ts";

const browser = useBrowser();

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
describe("compare", () => {
  compareSuite(browser);
});
describe("rank", () => {
  rankSuite(browser);
});
describe("review", () => {
  reviewSuite(browser);
});
describe("printing", () => {
  printingSuite(browser);
});
describe("report", () => {
  reportSuite(browser);
});
