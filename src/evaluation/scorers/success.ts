import type { Score } from "../../contract/schemas/score.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";

/** 1 when the endpoint gave a reply, else 0: its average is the success rate. The one score a failed reply has. */
export function success({ error }: Pick<StoredReply, "error">): Score & { value: number; reason: string } {
  if (error) return { name: "success", value: 0, reason: `no usable reply: ${error.code}` };
  return { name: "success", value: 1, reason: "the endpoint replied" };
}
