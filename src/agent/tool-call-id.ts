import { randomUUID } from "node:crypto";

/** Gives every tool call of a conversation an id of its own. Some endpoints repeat ids, some send none. */
export type IssueId = (wanted: string | null | undefined) => string;

/** Mistral takes ids of exactly so many letters and digits, and others take those too. */
const idLength = 9;

/** An id that no other conversation has either. */
export function newCallId(): string {
  return randomUUID().replaceAll("-", "").slice(0, idLength);
}

/** Keeps a wanted id that is new; otherwise makes one of `prefix` and a number. `taken` are ids that must not be made up. */
export function createIdIssuer({ prefix, taken }: { prefix: string; taken: Iterable<string> }): IssueId {
  const reserved = new Set(taken);
  const issued = new Set<string>();
  let count = 0;
  const next = () => {
    let id = "";
    do id = prefix + String(++count).padStart(idLength - prefix.length, "0");
    while (reserved.has(id) || issued.has(id));
    return id;
  };

  return (wanted) => {
    const id = wanted && !issued.has(wanted) ? wanted : next();
    issued.add(id);
    return id;
  };
}
