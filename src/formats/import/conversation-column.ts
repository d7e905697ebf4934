import { isNoLabel } from "../column-mapping.ts";
import { isConversation } from "../read-message.ts";
import { listField } from "../records.ts";
import type { ColumnPlan } from "./assign-columns.ts";
import type { Row } from "./table.ts";

/** The only column with conversations, beside those that are something else. */
export function conversationColumn(rows: readonly Row[], roles: ColumnPlan["roles"]): string | undefined {
  const taken = new Set<string>(Object.values(roles));
  const found = new Set<string>();
  for (const { cells } of rows)
    for (const name of Object.keys(cells)) if (isAConversation(cells[name])) found.add(name);
  const free = [...found].filter((name) => !taken.has(name) && !isNoLabel(name));
  return free.length === 1 ? free[0] : undefined;
}

const isAConversation = (cell: unknown): boolean => isConversation(cell) || isConversation(listField(cell, "messages"));
