/** The resources of the service at one moment, in MB and counts. */
export interface Sample {
  readonly hours: number;
  readonly requests: number;
  readonly rss: number;
  readonly heap: number;
  readonly external: number;
  readonly files: number;
  readonly timers: number;
  readonly handles: number;
}

type Kept = "rss" | "heap" | "files" | "timers" | "handles";

/** The tolerated growth over the whole time: a service warms up. */
const tolerated: Readonly<Record<Kept, number>> = { rss: 64, heap: 16, files: 10, timers: 20, handles: 30 };

/** Everything that holds more in the last quarter than it ever did in the quarter after the warm-up. */
export function findGrowth(samples: readonly Sample[]): readonly string[] {
  const { early, late } = quarters(samples);
  return (Object.keys(tolerated) as Kept[]).flatMap((name) => {
    const before = Math.max(...early.map((sample) => sample[name]));
    const now = Math.min(...late.map((sample) => sample[name]));
    return now > before + tolerated[name] ? [`${name} grew from ${before.toFixed(1)} to ${now.toFixed(1)}`] : [];
  });
}

export function toFigures(samples: readonly Sample[]): Readonly<Record<string, number | string>> {
  const { early, late, settled } = quarters(samples);
  const range = (name: Kept) => `${Math.round(middle(early, name))} → ${Math.round(middle(late, name))}`;
  return {
    requests: samples.at(-1)?.requests ?? 0,
    "RSS, MB": range("rss"),
    "RSS slope, MB/h": slope(settled, "rss").toFixed(1),
    "heap after collection, MB": range("heap"),
    "heap slope, MB/h": slope(settled, "heap").toFixed(1),
    "open files": range("files"),
    timers: range("timers"),
    handles: range("handles"),
  };
}

/** The first quarter is warm-up; the second and the last are compared. */
function quarters(samples: readonly Sample[]) {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const settled = samples.slice(quarter);
  return { settled, early: settled.slice(0, quarter), late: samples.slice(-quarter) };
}

function middle(samples: readonly Sample[], name: Kept): number {
  const sorted = samples.map((sample) => sample[name]).toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Least squares, per hour. */
function slope(samples: readonly Sample[], name: Kept): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const hours = mean(samples.map((sample) => sample.hours));
  const level = mean(samples.map((sample) => sample[name]));
  const spread = samples.reduce((sum, sample) => sum + (sample.hours - hours) ** 2, 0);
  return samples.reduce((sum, sample) => sum + (sample.hours - hours) * (sample[name] - level), 0) / (spread || 1);
}
