import { isRecord, type JsonRecord } from "../../base/json.ts";
import { below, readLabels, type ItemContext } from "../peer-item.ts";

/** Braintrust, Phoenix and others keep labels in an object of their own: those that are known or named count as columns do. */
export function withMetadata(row: JsonRecord, context: ItemContext): JsonRecord {
  const { metadata, ...rest } = row;
  if (!isRecord(metadata) || context.mapping.labels?.includes("metadata")) return row;
  return { ...readLabels(metadata, below(context, "metadata")), ...rest };
}
