import type { DialectAdapter } from "kysely";

/** The adapter of a database that is part of this process and has one connection: whatever is asked of it is done at once. */
export interface InProcessAdapter extends DialectAdapter {
  /** Runs a statement on the connection, inside its transaction if it is in one. */
  run<Row>(text: string, values: readonly unknown[]): readonly Row[];
}

export function isInProcess(adapter: DialectAdapter): adapter is InProcessAdapter {
  return "run" in adapter;
}
