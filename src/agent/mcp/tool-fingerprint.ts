import { createHash } from "node:crypto";

/** The part of a tool that a model reads or that we act upon. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

/** Changes when anything changes that could talk a model into something else. The order of keys does not count. */
export function fingerprint({ name, title, description, inputSchema, annotations }: ListedTool): string {
  const seen = { name, title, description, inputSchema, annotations };
  return createHash("sha256")
    .update(JSON.stringify(sortKeys(seen)))
    .digest("hex");
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  );
}
