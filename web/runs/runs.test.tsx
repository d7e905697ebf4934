import { expect, test } from "vitest";
import type { Run } from "../../src/contract/schemas/run.ts";
import { createFakeRuns } from "../../test/page/support/fake-runs.ts";
import { makeResults } from "../../test/page/support/make-results.ts";
import { renderHtml, textOf } from "../../test/page/support/render.ts";
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
