import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Curve } from "../bench.ts";
import { goalsOf, sentenceOn, type Report } from "./report.ts";
import { toLineChart } from "./line-chart.ts";
import { goalsToCells, rowsToCells, toMarkdown } from "./table.ts";

const page = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));
const pictures = fileURLToPath(new URL("../../docs/benchmarks/", import.meta.url));
const begin = "<!-- figures: written by node bench/main.ts --write-docs -->";
const end = "<!-- end of figures -->";

/** Puts the figures between the two marks in docs/benchmarks.md, and the curves beside it. */
export async function writeDocs(report: Report): Promise<void> {
  const text = await readFile(page, "utf8");
  const [before, rest] = [text.split(begin)[0], text.split(end)[1]];
  if (before === undefined || rest === undefined)
    throw new Error(`docs/benchmarks.md has no place for figures: ${begin}`);
  await mkdir(pictures, { recursive: true });
  // Curves that are no longer drawn go; the profiles beside them stay.
  for (const name of await readdir(pictures)) if (name.endsWith(".svg")) await rm(`${pictures}${name}`);
  for (const { curves } of report.benches) {
    for (const curve of drawable(curves)) await writeFile(`${pictures}${curve.name}.svg`, toLineChart(curve));
  }
  await writeFile(page, `${before}${begin}\n\n${toFigures(report)}\n\n${end}${rest}`);
}

function toFigures(report: Report): string {
  const { machine, benches } = report;
  return [
    `${machine.processors} × ${machine.processor}, ${machine.memory}, Node ${machine.node}.`,
    "### Goals",
    toMarkdown(goalsToCells(goalsOf(report))),
    ...benches.flatMap((bench) => [
      `### ${bench.title}`,
      // One that was skipped has nothing to be trusted.
      ...(bench.rows.length > 0 ? [`${bench.date}. ${sentenceOn(bench)}`] : []),
      toMarkdown(rowsToCells(bench.rows)),
      ...drawable(bench.curves).map((curve) => `![${curve.title}](benchmarks/${curve.name}.svg)`),
    ]),
  ].join("\n\n");
}

/** A line needs two points. */
function drawable(curves: readonly Curve[]): Curve[] {
  return curves.filter(({ series }) => series.some(({ points }) => points.length > 1));
}
