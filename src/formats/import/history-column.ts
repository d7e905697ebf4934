import { isConversation } from "../read-message.ts";
import { sameName } from "../records.ts";
import type { ColumnPlan } from "./assign-columns.ts";
import type { Table } from "./table.ts";

export interface TablePlan extends ColumnPlan {
  /** The column of what was said before the user's message. */
  readonly history?: string;
}

const histories = new Set(["chathistory", "history", "conversationhistory", "messages", "conversation"]);

/** A question that follows on others has them beside it, as a list of messages. */
export function withHistory(plan: ColumnPlan, { rows }: Table): TablePlan {
  const rest = [...plan.labels, ...plan.unused.map(({ name }) => name)];
  const history = rest.find(
    (name) => histories.has(sameName(name)) && rows.some(({ cells }) => isConversation(cells[name])),
  );
  if (history === undefined || plan.roles.user === undefined) return plan;
  return {
    ...plan,
    labels: plan.labels.filter((name) => name !== history),
    unused: plan.unused.filter(({ name }) => name !== history),
    history,
  };
}
