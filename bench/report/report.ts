import { cpus, totalmem } from "node:os";
import type { Curve, Goal, Row } from "../bench.ts";
import { describeNoise, trustOf, type Noise, type Trust } from "../harness/noise.ts";
import { spread } from "../harness/statistics.ts";

export interface MeasuredBench {
  readonly name: string;
  readonly title: string;
  readonly date: string;
  readonly seconds: number;
  readonly noise: Noise;
  readonly rows: readonly Row[];
  readonly goals: readonly Goal[];
  readonly curves: readonly Curve[];
}

/** Everything the benches found out in one run. This is what `--json` writes. */
export interface Report {
  readonly machine: Readonly<Record<"processor" | "processors" | "memory" | "node", string>>;
  readonly size: string;
  readonly benches: readonly MeasuredBench[];
}

export function createReport(benches: readonly MeasuredBench[], size: string): Report {
  const [first] = cpus();
  return {
    machine: {
      processor: first?.model.trim() ?? "unknown processor",
      processors: String(cpus().length),
      memory: `${Math.round(totalmem() / 1024 ** 3)} GB`,
      node: process.versions.node,
    },
    size,
    benches,
  };
}

export const goalsOf = ({ benches }: Report): Goal[] => benches.flatMap(({ goals }) => goals);

export const trustIn = ({ noise, rows }: MeasuredBench): Trust => trustOf(noise, referenceSpread(rows));

/** How far the figures of a bench can be trusted. */
export const sentenceOn = ({ noise, rows }: MeasuredBench): string => describeNoise(noise, referenceSpread(rows));

/** The widest spread among the repeats of the bare loops: it is the machine's, since they never change. Null without repeats. */
function referenceSpread(rows: readonly Row[]): number | null {
  const repeated = rows.filter(({ subject, samples }) => subject.startsWith("bare loop") && samples.length > 1);
  const spreads = repeated.map(({ samples }) => spread(samples.flatMap(({ wall_s }) => wall_s ?? [])));
  return spreads.length > 0 ? Math.max(...spreads) : null;
}
