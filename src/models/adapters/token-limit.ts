import type { ModelParameters } from "../../contract/model.ts";

/** OpenAI's newer name for `max_tokens`. Other APIs do not know it and refuse what they do not know. */
const newerLimitName = "max_completion_tokens";

/** How many tokens a reply may have, by either name; the newer one counts. */
export function tokenLimit({ max_tokens, extra }: ModelParameters): number | undefined {
  const limit = extra?.[newerLimitName];
  return typeof limit === "number" ? limit : max_tokens;
}
