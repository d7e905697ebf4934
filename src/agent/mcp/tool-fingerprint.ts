import { createHash } from "node:crypto";
import { canonicalJson } from "../../base/json.ts";

/** The part of a tool that a model reads or that we act upon. */
export interface PinnedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

/** Changes when anything changes that could talk a model into something else. The order of keys does not count. */
export function fingerprint({ name, title, description, inputSchema, annotations }: PinnedTool): string {
  const seen = { name, title, description, inputSchema, annotations };
  return createHash("sha256").update(canonicalJson(seen)).digest("hex");
}
