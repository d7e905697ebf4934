import { createHash } from "node:crypto";
import type { Scenario } from "../../contract/schemas/scenario.ts";

/** The same for scenarios that ask and expect the same, whatever else is said about them. */
export function turnsHash({ interactions }: Pick<Scenario, "interactions">): string {
  const turns = interactions.map(({ user_message, reference_reply }) => [user_message, reference_reply]);
  return createHash("sha256").update(JSON.stringify(turns)).digest("hex");
}
