import type { BenchContext, Figures, Metric, Row, Subject } from "../bench.ts";
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

/** The median over the repeats, or null when it was not measured. */
export function medianOf(rows: readonly Row[], { work, subject, metric }: Cell): number | null {
  const row = rows.find((candidate) => candidate.work === work && candidate.subject === subject);
  const values = (row?.samples ?? []).flatMap((figures) => figures[metric] ?? []);
  return values.length > 0 ? median(values) : null;
}

interface Cell {
  readonly work: string;
  readonly subject: string;
  readonly metric: Metric;
}

/** One subject's median divided by another's. */
export function ratioOf(rows: readonly Row[], cell: Cell, reference: string): number | null {
  const value = medianOf(rows, cell);
  const other = medianOf(rows, { ...cell, subject: reference });
  return value === null || other === null || other === 0 ? null : value / other;
}

function reasonOf(error: unknown): string {
  if (error instanceof Skip) return error.message;
  return `failed: ${(error instanceof Error ? error.message : String(error)).split("\n", 1)[0]?.slice(0, 200)}`;
}
