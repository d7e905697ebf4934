import { randomUUID } from "node:crypto";

/** Gives every tool call of a conversation a unique id. Some endpoints repeat ids, some send none. */
export type IssueId = (wanted: string | null | undefined) => string;

/** Mistral accepts only ids of exactly nine letters and digits; others accept them too. */
const idLength = 9;

/** An id that is unique across conversations. */
export function newCallId(): string {
  return randomUUID().replaceAll("-", "").slice(0, idLength);
}

/** Keeps a wanted id that is new; otherwise generates one from `prefix` and a number. Generated ids avoid `taken`. */
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
