import { innerSpread, median } from "./statistics.ts";

/** How steady the machine was while it was measured. */
export interface Noise {
  /** Seconds of the same piece of pure work, each time it was done. */
  readonly spins: readonly number[];
  /** How far apart they lie, as a share of their median, but for the slowest and the quickest tenth: medians do not see those. */
  readonly spread: number;
  /** The slowest against the quickest: 1 on a machine of one's own. */
  readonly slowdown: number;
}

export interface NoiseMeter {
  /** Does the piece of work once. */
  spin(): void;
  report(): Noise;
}

/** Times a fixed piece of work between the measurements: what changes there is the machine, not the subject. */
export function createNoiseMeter(rounds = 20_000_000): NoiseMeter {
  const spins: number[] = [];
  return {
    spin() {
      const began = performance.now();
      work(rounds);
      spins.push((performance.now() - began) / 1000);
    },
    report: () => ({
      spins,
      spread: innerSpread(spins),
      slowdown: spins.length > 0 ? Math.max(...spins) / Math.min(...spins) : 1,
    }),
  };
}

/** One sentence on how far the figures can be trusted. */
export function describeNoise({ spins, spread: apart, slowdown }: Noise, referenceSpread: number | null): string {
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  const trust =
    apart < 0.15 && (referenceSpread ?? 0) < 0.15
      ? "steady"
      : apart < 0.4 && (referenceSpread ?? 0) < 0.4
        ? "uneven: differences below a quarter say little"
        : "busy: only large ratios say anything";
  const references =
    referenceSpread === null
      ? "no bare loop was repeated"
      : `the bare loops repeated within ${percent(referenceSpread)}`;
  return `The machine was ${trust}. The same work ${spins.length} times took ${median(spins).toFixed(3)} s, eight of ten within ${percent(apart)} (slowest ${slowdown.toFixed(2)} × quickest); ${references}.`;
}

function work(rounds: number): number {
  let state = 1;
  for (let round = 0; round < rounds; round += 1) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  return state;
}
