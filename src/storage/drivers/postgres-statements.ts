/**
 * Decides which statements the server keeps planned, under a name, on each connection: those that come again and again.
 * Planning one of them costs as much as running it. Lists of varying length make ever new texts, so there is a limit.
 */
export interface StatementNames {
  /** Undefined for a statement that is to be planned anew. */
  nameOf(text: string): string | undefined;
  /** From now on nothing has a name: a pooler between us and the server does not keep them. */
  stop(): void;
}

const usesBeforeName = 3;
const mostNames = 100;
const mostCounted = 1_000;

export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const uses = new Map<string, number>();
  let stopped = false;

  function count(text: string): string | undefined {
    const used = (uses.get(text) ?? 0) + 1;
    if (used < usesBeforeName) {
      if (uses.size >= mostCounted) uses.clear();
      uses.set(text, used);
      return undefined;
    }
    uses.delete(text);
    const name = `rehearsal_${names.size + 1}`;
    names.set(text, name);
    return name;
  }

  return {
    nameOf(text) {
      if (stopped) return undefined;
      return names.get(text) ?? (names.size < mostNames ? count(text) : undefined);
    },
    stop() {
      stopped = true;
    },
  };
}
