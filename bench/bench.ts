import type { FakeModel } from "./fake-model/start-fake-model.ts";
import type { NoiseMeter } from "./harness/noise.ts";
import type { Peers } from "./peers/install-peers.ts";

/** The measured quantities. Lower is better, except for rates. */
export const metrics = {
  wall_s: { title: "wall s", digits: 2 },
  cpu_ms: { title: "CPU ms each", digits: 3 },
  peak_mb: { title: "peak MB", digits: 0 },
  per_second: { title: "per s", digits: 0 },
  p50_ms: { title: "p50 ms", digits: 2 },
  p99_ms: { title: "p99 ms", digits: 2 },
  first_word_ms: { title: "first word ms", digits: 2 },
  delay_p99_ms: { title: "loop delay p99 ms", digits: 1 },
  unfairness: { title: "furthest from fair", digits: 2 },
  db_cpu_ms: { title: "database CPU ms each", digits: 3 },
  wal_kb: { title: "log kB each", digits: 2 },
  store_mb: { title: "store MB", digits: 1 },
} as const satisfies Record<string, { title: string; digits: number }>;
export type Metric = keyof typeof metrics;
export type Figures = Partial<Record<Metric, number>>;

/** One thing that does the work. */
export interface Subject {
  readonly name: string;
  /** Whose figures this one's are divided by. */
  readonly reference?: string;
  run(): Promise<Figures>;
}

/** All repeats of one subject on one piece of work; or why there are none. */
export interface Row {
  readonly work: string;
  readonly subject: string;
  readonly reference?: string | undefined;
  readonly samples: readonly Figures[];
  readonly skipped?: string | undefined;
}

/** A promise of the project and what was measured. `value` null: not measured this time. */
export interface Goal {
  readonly what: string;
  readonly value: number | null;
  /** The lowest and the highest of several measurements. */
  readonly range?: readonly [number, number] | undefined;
  readonly sense: "at most" | "at least";
  readonly limit: number;
}

/** How a cost grows: one line per series. */
export interface Curve {
  readonly name: string;
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly logarithmicX?: boolean;
  readonly series: readonly { readonly name: string; readonly points: readonly (readonly [number, number])[] }[];
}

export interface BenchResult {
  readonly rows: readonly Row[];
  readonly goals: readonly Goal[];
  readonly curves?: readonly Curve[];
}

/** `quick` proves that the bench works; its figures mean nothing. `full` adds runs of a million interactions. */
export type Size = "quick" | "normal" | "full";

export interface BenchContext {
  readonly size: Size;
  readonly repeats: number;
  readonly model: FakeModel;
  readonly noise: NoiseMeter;
  /** A folder of this run's own, deleted at the end. */
  readonly scratch: string;
  /** null: not asked for. */
  readonly peers: Peers | null;
  say(line: string): void;
}

export interface Bench {
  readonly name: string;
  readonly title: string;
  run(context: BenchContext): Promise<BenchResult>;
}
