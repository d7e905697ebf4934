import { existsSync, readFileSync } from "node:fs";
import { innerSpread, median } from "./statistics.ts";

/** How steady the machine was while something was measured. */
export interface Noise {
  /** Seconds of the same piece of pure work, each time it was done. */
  readonly spins: readonly number[];
  /** The share of the processors' working time that other machines on the same host took; null when that is not known. */
  readonly stolen: number | null;
}

export interface NoiseMeter {
  /** Does the piece of work once. */
  spin(): void;
  report(): Noise;
}

export type Trust = "steady" | "uneven" | "busy";

/** Times a fixed piece of work between the measurements: what changes there is the machine, not the subject. */
export function createNoiseMeter(rounds = 20_000_000): NoiseMeter {
  const spins: number[] = [];
  const before = processorTime();
  return {
    spin() {
      const began = performance.now();
      work(rounds);
      spins.push((performance.now() - began) / 1000);
    },
    report() {
      const now = processorTime();
      const [worked, stolen] = [now.worked - before.worked, now.stolen - before.stolen];
      return { spins: [...spins], stolen: worked + stolen > 0 ? stolen / (worked + stolen) : null };
    },
  };
}

/** `referenceSpread`: how far apart the repeats of a bare loop lie, where there are any. */
export function trustOf({ spins, stolen }: Noise, referenceSpread: number | null): Trust {
  // But for the slowest and the quickest tenth: medians do not see those.
  const apart = Math.max(innerSpread(spins), referenceSpread ?? 0);
  const taken = stolen ?? 0;
  if (apart < 0.15 && taken < 0.02) return "steady";
  return apart < 0.4 && taken < 0.1 ? "uneven" : "busy";
}

const advice: Readonly<Record<Trust, string>> = {
  steady: "steady",
  uneven: "uneven: differences below a quarter say little",
  busy: "busy: only large ratios say anything",
};

/** One sentence on how far figures can be trusted, and one on what that rests on. */
export function describeNoise(noise: Noise, referenceSpread: number | null): string {
  const { spins, stolen } = noise;
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  const slowdown = spins.length > 0 ? Math.max(...spins) / Math.min(...spins) : 1;
  const facts = [
    `the same work ${spins.length} times took ${median(spins).toFixed(3)} s, eight of ten within ${percent(innerSpread(spins))} (slowest ${slowdown.toFixed(2)} × quickest)`,
    ...(referenceSpread === null ? [] : [`the bare loops repeated within ${percent(referenceSpread)}`]),
    ...(stolen === null ? [] : [`other machines of the host took ${percent(stolen)} of the time`]),
  ].join("; ");
  return `The machine was ${advice[trustOf(noise, referenceSpread)]}. ${facts[0]?.toUpperCase()}${facts.slice(1)}.`;
}

/** Ticks since the start of the machine, which only Linux tells; idle ones belong to no process. */
function processorTime(): { worked: number; stolen: number } {
  if (!existsSync("/proc/stat")) return { worked: 0, stolen: 0 };
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = readFileSync("/proc/stat", "utf8")
    .split("\n", 1)[0]!
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return { worked: user + nice + system + irq + softirq, stolen };
}

function work(rounds: number): number {
  let state = 1;
  for (let round = 0; round < rounds; round += 1) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  return state;
}
