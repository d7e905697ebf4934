import type { BenchContext, Figures, Goal, Metric, Row, Subject } from "../bench.ts";
import { Skip } from "./skip.ts";
import { median } from "./statistics.ts";

/**
 * Measures every subject once, then every subject again: what slows the machine down for a while slows all of them.
 * A subject that cannot be measured is left out with its reason; the others go on.
 */
export async function interleave(
  work: string,
  subjects: readonly Subject[],
  { repeats, noise, say }: Pick<BenchContext, "repeats" | "noise" | "say">,
): Promise<Row[]> {
  const samples = new Map<Subject, Figures[]>(subjects.map((subject) => [subject, []]));
  const skipped = new Map<Subject, string>();
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    noise.spin();
    for (const subject of subjects) {
      if (skipped.has(subject)) continue;
      const seconds = Math.round(performance.now() / 1000);
      say(`  ${String(seconds).padStart(4)} s  ${work}: ${subject.name}, ${repeat + 1} of ${repeats}`);
      try {
        samples.get(subject)?.push(await subject.run());
      } catch (error) {
        skipped.set(subject, reasonOf(error));
        say(`  skipped: ${subject.name}, ${work}: ${reasonOf(error)}`);
      }
    }
  }
  return subjects.map((subject) => ({
    work,
    subject: subject.name,
    reference: subject.reference,
    samples: samples.get(subject) ?? [],
    skipped: skipped.get(subject),
  }));
}

interface Cell {
  readonly work: string;
  readonly subject: string;
  readonly metric: Metric;
}

/** The median over the repeats, or null when it was not measured. */
export function medianOf(rows: readonly Row[], cell: Cell): number | null {
  const values = valuesOf(rows, cell);
  return values.length > 0 ? median(values) : null;
}

/** One subject's median divided by another's. */
export function ratioOf(rows: readonly Row[], cell: Cell, reference: string): number | null {
  const value = medianOf(rows, cell);
  const other = medianOf(rows, { ...cell, subject: reference });
  return value === null || other === null || other === 0 ? null : value / other;
}

/** The lowest and the highest of several repeats. */
export function rangeOf(rows: readonly Row[], cell: Cell): readonly [number, number] | undefined {
  return toRange(valuesOf(rows, cell));
}

/**
 * A goal on a subject's median or, with `over`, on how many times another subject's it is. The range is that of the
 * repeats: what was measured in the same round is divided.
 */
export function goalOn(
  rows: readonly Row[],
  { what, over, ...cell }: Cell & { readonly what: string; readonly over?: string },
  limit: { readonly atMost: number } | { readonly atLeast: number },
): Goal {
  const bound =
    "atMost" in limit
      ? ({ sense: "at most", limit: limit.atMost } as const)
      : ({ sense: "at least", limit: limit.atLeast } as const);
  if (over === undefined) return { what, value: medianOf(rows, cell), range: rangeOf(rows, cell), ...bound };
  const others = valuesOf(rows, { ...cell, subject: over });
  const range = toRange(valuesOf(rows, cell).map((value, round) => value / (others[round] ?? Number.NaN)));
  return { what, value: ratioOf(rows, cell, over), range, ...bound };
}

function valuesOf(rows: readonly Row[], { work, subject, metric }: Cell): number[] {
  const row = rows.find((candidate) => candidate.work === work && candidate.subject === subject);
  return (row?.samples ?? []).flatMap((figures) => figures[metric] ?? []);
}

function toRange(values: readonly number[]): readonly [number, number] | undefined {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length > 1 ? [Math.min(...known), Math.max(...known)] : undefined;
}

function reasonOf(error: unknown): string {
  if (error instanceof Skip) return error.message;
  return `failed: ${(error instanceof Error ? error.message : String(error)).split("\n", 1)[0]?.slice(0, 200)}`;
}
