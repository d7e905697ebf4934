import { shuffle } from "../../base/random.ts";
import { matchesWildcard } from "../../base/text.ts";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { CliError } from "../terminal/cli-error.ts";

interface Selection {
  /** `tag:refund`, or a scenario id in which `*` matches anything. One match is enough. */
  readonly filters?: readonly string[];
  readonly ids?: ReadonlySet<string> | undefined;
  readonly first?: number | undefined;
  readonly sample?: number | undefined;
  readonly seed?: number | undefined;
}

/** The scenarios to run, in order. The same seed and scenarios give the same sample. */
export function selectScenarios(
  scenarios: readonly FileScenario[],
  { filters = [], ids, first, sample, seed = 0 }: Selection,
): FileScenario[] {
  const fitting = scenarios
    .filter((scenario) => filters.length === 0 || filters.some((filter) => fitsFilter(scenario, filter)))
    .filter(({ id }) => ids === undefined || ids.has(id));
  const cut = first === undefined ? fitting : fitting.slice(0, first);
  const chosen = sample === undefined ? cut : drawSample(cut, sample, seed);
  if (chosen.length === 0) throw new CliError(`nothing to evaluate: ${emptyReason(scenarios, filters)}`);
  return chosen;
}

const shownNames = 10;

/** Explains an empty selection, with the ids or tags a mistyped filter could have meant. */
function emptyReason(scenarios: readonly FileScenario[], filters: readonly string[]): string {
  if (scenarios.length === 0) return "there are no scenarios";
  const none = `none of ${scenarios.length} scenarios matches`;
  // If a scenario matches a filter, another option excluded it.
  if (filters.length === 0 || scenarios.some((one) => filters.some((filter) => fitsFilter(one, filter)))) return none;
  const ids = scenarios.map(({ id }) => id);
  const tags = scenarios.flatMap(({ tags: own = [] }) => own);
  const there = [
    ...(filters.every(isTag) ? [] : [listedIds("ids", ids)]),
    ...(filters.some(isTag) ? [listedIds("tags", tags)] : []),
  ];
  return `${none} --filter ${filters.join(" or ")}; ${there.join("; ")}`;
}

const isTag = (filter: string): boolean => filter.startsWith("tag:");

function listedIds(what: string, all: readonly string[]): string {
  const names = [...new Set(all)];
  if (names.length === 0) return `they have no ${what}`;
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : "";
  return `their ${what} are ${names.slice(0, shownNames).join(", ")}${more}`;
}

function fitsFilter({ id, tags = [] }: FileScenario, filter: string): boolean {
  if (isTag(filter)) return tags.includes(filter.slice("tag:".length));
  return matchesWildcard(id, filter);
}

function drawSample(scenarios: readonly FileScenario[], size: number, seed: number): FileScenario[] {
  const drawn = new Set(shuffle([...scenarios.keys()], seed).slice(0, size));
  return scenarios.filter((_, index) => drawn.has(index));
}
