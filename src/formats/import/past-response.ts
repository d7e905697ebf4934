import type { ColumnMapping } from "../column-mapping.ts";
import { sameName } from "../records.ts";

/** Beside Ragas' `user_input`, `response` is what a system answered once, and never what it should have. */
export function withPastResponse(names: readonly string[], mapping: ColumnMapping): ColumnMapping {
  const find = (wanted: string): string | undefined => names.find((name) => sameName(name) === wanted);
  const response = find("response");
  const isRagas = find("userinput") !== undefined && response !== undefined;
  const isMapped = mapping.agent_reply !== undefined || mapping.reference === response || mapping.user === response;
  return isRagas && !isMapped ? { ...mapping, agent_reply: response } : mapping;
}
