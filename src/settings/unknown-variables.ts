import { closestName } from "../base/text.ts";
import type { Variables } from "./environment.ts";
import { variables } from "./variables.ts";

const ownPrefix = /^(REHEARSAL|EVAL|AGENT|HUB|STUDIO|JUDGE|LABELLER|EMBEDDINGS)_/;

/** A line for each variable that looks like ours and is read by nothing, with the name that was probably meant. */
export function warnOfUnknownVariables(environment: Variables, alsoKnown: readonly string[]): readonly string[] {
  const names = variables.map(({ name }) => name);
  const files = [...variables.filter(({ secret }) => secret).map(({ name }) => name), ...alsoKnown].map(
    (name) => `${name}_FILE`,
  );
  const known = new Set([...names, ...files, ...alsoKnown]);

  return Object.keys(environment)
    .filter((name) => ownPrefix.test(name) && !known.has(name))
    .toSorted()
    .map((name) => {
      const nearest = closestName(name, names);
      return `${name} is not a setting and is ignored${nearest === undefined ? "" : `: did you mean ${nearest}?`}`;
    });
}
