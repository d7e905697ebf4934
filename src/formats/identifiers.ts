import { contentHash } from "./content-hash.ts";
import { scalarText } from "./records.ts";
import type { ScenarioDraft } from "./scenario-draft.ts";

const longest = 256;

/** A source's own id made fit for the contract, or undefined when it has none. */
export function usableId(value: unknown): string | undefined {
  const text = scalarText(value)
    ?.replace(/\p{Cc}+/gu, " ")
    .toWellFormed();
  if (text === undefined || text.trim() === "") return undefined;
  return text.length <= longest ? text : `${cut(text, longest - 13)}-${contentHash(text)}`;
}

/** The same conversation gets the same id in every import, so that runs of it can be compared. */
export function hashedId({ system, turns }: ScenarioDraft): string {
  const content = [system ?? "", turns.map(({ user, reference }) => [user, reference ?? ""])];
  return `scenario-${contentHash(JSON.stringify(content))}`;
}

/** Remembers the ids given out; a second one of a kind gets -2, the third -3. */
export function createIdRegister(): (wanted: string) => string {
  const used = new Set<string>();
  const nextSuffix = new Map<string, number>();
  return (wanted) => {
    let id = wanted;
    for (let suffix = nextSuffix.get(wanted) ?? 2; used.has(id); suffix++) {
      id = `${cut(wanted, longest - 12)}-${suffix}`;
      nextSuffix.set(wanted, suffix + 1);
    }
    used.add(id);
    return id;
  };
}

/** Never through the middle of a surrogate pair. */
const cut = (text: string, length: number): string => text.slice(0, length).toWellFormed();
