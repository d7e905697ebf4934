/** Gives every tool call of a conversation an id of its own. Some endpoints repeat ids, some send none. */
export type IssueId = (wanted: string | null | undefined) => string;

/** Keeps a wanted id that is new; otherwise makes `<prefix><n>`. `taken` are ids that must not be made up. */
export function createIdIssuer({ prefix, taken }: { prefix: string; taken: Iterable<string> }): IssueId {
  const reserved = new Set(taken);
  const issued = new Set<string>();
  let count = 0;
  const next = () => {
    let id = "";
    do id = `${prefix}${++count}`;
    while (reserved.has(id) || issued.has(id));
    return id;
  };

  return (wanted) => {
    const id = wanted && !issued.has(wanted) ? wanted : next();
    issued.add(id);
    return id;
  };
}
