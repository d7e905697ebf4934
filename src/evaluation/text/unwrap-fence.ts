const mark = "```";
const opening = /^```(?:json)?/iu;

/** What stands inside the one fenced code block a text consists of; any other text as it is. White space around is dropped. */
export function unwrapFence(text: string): string {
  const bare = text.trim();
  const rest = bare.replace(opening, "");
  if (rest.length === bare.length || !rest.endsWith(mark)) return bare;
  return rest.slice(0, -mark.length).trim();
}
