import { expect, test } from "vitest";
import type { RankedRun, RunRanking } from "../../src/contract/schemas/comparison.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { createFakeRuns } from "../../test/page/support/fake-runs.ts";
import { makeResults } from "../../test/page/support/make-results.ts";
import { renderHtml, textOf } from "../../test/page/support/render.ts";
import { RankTable } from "../compare/rank-screen.tsx";
import { RunListTable } from "./run-list-table.tsx";
import { useRunFilters, type TypedFilters } from "./use-run-list.ts";

/** A run of which so many scenarios pass and fail. */
function runWith(name: string, { passing, failing }: { passing: number; failing: number }): Run {
  const scenario = (overall: number, id: string) => ({ id, attempts: [[{ overall }]] });
  const results = makeResults({
    id: name,
    name,
    scenarios: [
      ...Array.from({ length: passing }, (_, index) => scenario(1, `passing-${index}`)),
      ...Array.from({ length: failing }, (_, index) => scenario(0.1, `failing-${index}`)),
    ],
  });
  return createFakeRuns([]).toRun(results);
}

const listed = (runs: readonly Run[], search = ""): string =>
  renderHtml(<RunListTable runs={runs} chosen={new Set()} onToggle={() => {}} />, { search });

test("the list is sorted by the share of scenarios that pass, not by their number", () => {
  const runs = [runWith("large", { passing: 5, failing: 5 }), runWith("small", { passing: 3, failing: 0 })];
  expect(textOf(listed(runs, "?sort=-passing"))).toMatch(/small .* 3 of 3 .* large .* 5 of 10 /);
  expect(textOf(listed(runs, "?sort=passing"))).toMatch(/large .* 5 of 10 .* small .* 3 of 3 /);
});

test("each filter is sent as what it was typed for", () => {
  const typed: TypedFilters = {
    search: " refund ",
    model: "gpt",
    state: "completed",
    tag: "v2",
    label: "team=web",
    score: "overall",
    min: "0,1",
    max: "0.9",
    from: "2026-11-01",
    to: "2026-11-18",
  };
  const Filters = () => JSON.stringify(useRunFilters(typed));
  const filters: unknown = JSON.parse(renderHtml(<Filters />).replaceAll("&quot;", '"'));
  expect(filters).toEqual({
    search: "refund",
    search_model_ids: "",
    model_id: "gpt",
    state: "completed",
    tag: "v2",
    label: "team=web",
    score: "overall",
    min_score: "0.1",
    max_score: "0.9",
    created_from: "2026-11-01",
    created_to: "2026-11-18",
  });
});

/** The tokens that colour a piece of text in HTML. */
const colourOf = (html: string, text: string): string | undefined =>
  new RegExp(`text-(good|bad|warn|infra|soft)[^>]*>(?:<svg.*?</svg>)?${text}<`).exec(html)?.[1];

test("green in the list means passing, and red that nothing passes; completed is neither", () => {
  expect(colourOf(listed([runWith("all", { passing: 3, failing: 0 })]), "3")).toBe("good");
  const none = listed([runWith("none", { passing: 0, failing: 3 })]);
  expect(colourOf(none, "0")).toBe("bad");
  expect(colourOf(none, "completed")).toBe("soft");
  const some = listed([runWith("some", { passing: 2, failing: 1 })]);
  expect(textOf(some)).toContain(" 2 of 3 ");
  expect(some).not.toMatch(/text-(?:good|bad)/);
});

test("a scenario that passes with a turn that always fails is told in words", () => {
  const run = runWith("marked", { passing: 2, failing: 0 });
  const always_failing = [{ scenario_id: "passing-0", turns: [0] }];
  const html = listed([{ ...run, summary: run.summary && { ...run.summary, always_failing } }]);
  expect(textOf(html)).toContain("2 of 2 1 with a turn that always fails");
  expect(html).not.toContain("⚠");
});

test("runs of one test and model are told apart by their dates", () => {
  const ranked = (run_id: string): RankedRun => ({
    run_id,
    test_name: "nightly",
    model_id: "helpdesk",
    endpoint: "http://127.0.0.1",
    demo: false,
    mean: 0.5,
    ci_lower: 0.4,
    ci_upper: 0.6,
    failed: 0,
    latency_ms: 100,
    cost_per_1000_turns: null,
    to_first: null,
    worse_than: [],
    place: "may_be_best",
  });
  const ranking: RunRanking = {
    comparable: true,
    reason: null,
    score: "overall",
    sentence: "",

    scenarios: 3,
    interactions: 3,
    scenarios_needed: null,
    notes: [],
    runs: [ranked("a"), ranked("b")],
  };
  const at = (run_id: string, created_at: string): [readonly unknown[], unknown] => [
    ["run", run_id],
    { ...runWith("nightly", { passing: 1, failing: 0 }), run_id, created_at },
  ];
  const answers = [at("a", "2025-03-01T10:00:00.000Z"), at("b", "2025-03-02T10:00:00.000Z")];
  const html = renderHtml(<RankTable ranking={ranking} />, { answers });
  expect(html.match(/datetime="[^"]*"/gi)).toEqual([
    'dateTime="2025-03-01T10:00:00.000Z"',
    'dateTime="2025-03-02T10:00:00.000Z"',
  ]);
  expect(textOf(html)).toMatch(/Mar 1, 2025.*Mar 2, 2025/);
});
