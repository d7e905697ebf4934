import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgentMetrics } from "../../src/services/agent/observers/agent-metrics.ts";
import { createEvaluationMetrics } from "../../src/services/evaluation/routes/metrics.ts";

const Dashboard = z.object({
  uid: z.string(),
  title: z.string(),
  schemaVersion: z.int(),
  templating: z.object({ list: z.array(z.object({ name: z.string() })) }),
  panels: z.array(
    z.object({
      id: z.int(),
      title: z.string(),
      gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
      targets: z.array(z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string() })),
    }),
  ),
});

const file = resolve(import.meta.dirname, "../../deploy/grafana/rehearsal.json");
const dashboard = Dashboard.parse(JSON.parse(readFileSync(file, "utf8")));
const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** Every series that the services offer at /metrics, by name, with its labels. */
async function series(): Promise<Map<string, ReadonlySet<string>>> {
  const nothing = { runs: new Map(), attempts: new Map(), workers: 0 };
  const registries = [createAgentMetrics().registry, createEvaluationMetrics(async () => nothing)];
  const found = new Map<string, ReadonlySet<string>>();
  for (const registry of registries) {
    for (const metric of await registry.getMetricsAsJSON()) {
      const { labelNames = [] } = registry.getSingleMetric(metric.name) as { labelNames?: readonly string[] };
      const scraped = [...labelNames, "job", "instance"];
      if (String(metric.type) === "histogram") found.set(`${metric.name}_bucket`, new Set([...scraped, "le"]));
      else found.set(metric.name, new Set(scraped));
    }
  }
  return found;
}

test("the dashboard asks for series that exist, with labels they have", async () => {
  const known = await series();
  for (const expression of expressions) {
    const [name = ""] = /rehearsal_\w+/.exec(expression) ?? [];
    const labels = known.get(name);
    expect([...known.keys()]).toContain(name);
    const grouped = /by \(([^)]*)\)/.exec(expression)?.[1]?.split(", ") ?? [];
    expect(grouped.filter((label) => !labels?.has(label))).toEqual([]);
  }
});

test("the dashboard shows every metric there is", async () => {
  const shown = new Set(expressions.flatMap((expression) => expression.match(/rehearsal_\w+/g) ?? []));
  expect([...(await series()).keys()].filter((name) => !shown.has(name))).toEqual([]);
});

test("its panels have ids of their own and do not lie on each other", () => {
  const { panels, templating } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const places = panels.map(({ gridPos: { x, y } }) => `${x},${y}`);
  expect(new Set(places).size).toBe(panels.length);
  for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  const variables = new Set(expressions.flatMap((expression) => expression.match(/\$(?!__)\w+/g) ?? []));
  expect([...variables]).toEqual(templating.list.slice(1).map(({ name }) => `$${name}`));
});
