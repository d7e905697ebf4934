const mark = "```";
/** With the name of the language, which is JSON to most models and `jsonc` or `javascript` to some. */
const opening = /^```(?:[\w+#.-]+[ \t]*(?=\r?\n)|json)?/iu;

/** What stands inside the one fenced code block a text consists of; any other text as it is. White space around is dropped. */
export function unwrapFence(text: string): string {
  const bare = text.trim();
  const rest = bare.replace(opening, "");
  if (rest.length === bare.length || !rest.endsWith(mark)) return bare;
  return rest.slice(0, -mark.length).trim();
}
