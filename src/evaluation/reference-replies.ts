import type { Interaction } from "../contract/schemas/scenario.ts";

/** Nobody has more acceptable replies; what looks at each of them leaves out the rest, which would hold up everything else. */
export const mostReferences = 1_000;

/** Every acceptable reply. An empty `reference_reply` is no reference; an empty entry of `references` is one: saying nothing is right. */
export function referenceReplies({
  reference_reply,
  references = [],
}: Pick<Interaction, "reference_reply" | "references">): readonly string[] {
  return reference_reply.trim() === "" ? references : [reference_reply, ...references];
}
