import { cpus, totalmem } from "node:os";
import type { Curve, Goal, Row } from "../bench.ts";
import { describeNoise, type Noise } from "../harness/noise.ts";
import { spread } from "../harness/statistics.ts";

export interface MeasuredBench {
  readonly name: string;
  readonly title: string;
  readonly seconds: number;
  readonly rows: readonly Row[];
  readonly curves: readonly Curve[];
}

/** Everything one run of the benches found out. This is what `--json` writes. */
export interface Report {
  readonly machine: Readonly<Record<"processor" | "processors" | "memory" | "node" | "date", string>>;
  readonly size: string;
  /** One sentence on how far the figures can be trusted, and what it rests on. */
  readonly noise: string;
  readonly spins: readonly number[];
  readonly goals: readonly Goal[];
  readonly benches: readonly MeasuredBench[];
}

export function createReport(
  benches: readonly (MeasuredBench & { readonly goals: readonly Goal[] })[],
  { noise, size }: { noise: Noise; size: string },
): Report {
  const [first] = cpus();
  return {
    machine: {
      processor: first?.model.trim() ?? "unknown processor",
      processors: String(cpus().length),
      memory: `${Math.round(totalmem() / 1024 ** 3)} GB`,
      node: process.versions.node,
      date: new Date().toISOString().slice(0, 10),
    },
    size,
    noise: describeNoise(noise, referenceSpread(benches.flatMap(({ rows }) => rows))),
    spins: noise.spins,
    goals: benches.flatMap(({ goals }) => goals),
    benches: benches.map(({ name, title, seconds, rows, curves }) => ({ name, title, seconds, rows, curves })),
  };
}

/** The widest spread among the repeats of the bare loops: it is the machine's, since they never change. Null without repeats. */
function referenceSpread(rows: readonly Row[]): number | null {
  const repeated = rows.filter(({ subject, samples }) => subject === "bare loop" && samples.length > 1);
  const spreads = repeated.map(({ samples }) => spread(samples.flatMap(({ wall_s }) => wall_s ?? [])));
  return spreads.length > 0 ? Math.max(...spreads) : null;
}
