import type { ScorerSetting, TurnCheck } from "./scorer-setting.ts";

/** The names of a turn's own checks: numbered on from those of the run, so that no two scores of a reply share one. */
export function turnCheckNames(checks: readonly TurnCheck[], scorers: readonly ScorerSetting[]): string[] {
  return checkNames([...scorers, ...checks])
    .slice(scorers.length)
    .filter((name) => name !== null);
}

/** The names of the checks in a list of scorers: the given one, else the type, numbered from the second on. */
export function checkNames(settings: readonly (ScorerSetting | TurnCheck)[]): (string | null)[] {
  const counts = new Map<string, number>();
  return settings.map((setting) => {
    if (typeof setting === "string") return null;
    if (setting.name !== undefined) return setting.name;
    const count = (counts.get(setting.type) ?? 0) + 1;
    counts.set(setting.type, count);
    return count === 1 ? setting.type : `${setting.type}_${count}`;
  });
}
