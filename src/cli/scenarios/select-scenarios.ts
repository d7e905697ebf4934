import type { FileScenario } from "../../formats/scenario-file.ts";
import { CliError } from "../cli-error.ts";

export interface Selection {
  /** `tag:refund`, or a scenario id in which `*` stands for anything. Any one that fits is enough. */
  readonly filters?: readonly string[];
  readonly ids?: ReadonlySet<string> | undefined;
  readonly first?: number | undefined;
  readonly sample?: number | undefined;
  readonly seed?: number | undefined;
}

/** The scenarios to run, in their order. A sample is the same for the same seed and scenarios. */
export function selectScenarios(
  scenarios: readonly FileScenario[],
  { filters = [], ids, first, sample, seed = 0 }: Selection,
): FileScenario[] {
  const fitting = scenarios
    .filter((scenario) => filters.length === 0 || filters.some((filter) => fits(scenario, filter)))
    .filter(({ id }) => ids === undefined || ids.has(id));
  const cut = first === undefined ? fitting : fitting.slice(0, first);
  const chosen = sample === undefined ? cut : drawSample(cut, sample, seed);
  if (chosen.length === 0) {
    const why = scenarios.length === 0 ? "there are no scenarios" : `none of ${scenarios.length} scenarios fits`;
    throw new CliError(`nothing to evaluate: ${why}`);
  }
  return chosen;
}

function fits({ id, tags = [] }: FileScenario, filter: string): boolean {
  const tag = /^tag:(.+)$/.exec(filter)?.[1];
  if (tag !== undefined) return tags.includes(tag);
  const pattern = filter.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${pattern.join(".*")}$`, "s").test(id);
}

function drawSample(scenarios: readonly FileScenario[], size: number, seed: number): FileScenario[] {
  const random = mulberry32(seed);
  const positions = scenarios.map((_, index) => index);
  for (let index = positions.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [positions[index], positions[other]] = [positions[other] ?? 0, positions[index] ?? 0];
  }
  const drawn = new Set(positions.slice(0, size));
  return scenarios.filter((_, index) => drawn.has(index));
}

/** Tommy Ettinger's small generator: enough to draw a sample, the same one for the same seed. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
