const fence = "```";
/** May name the language: most models write `json`, some `jsonc` or `javascript`. */
const openingFence = /^```(?:[\w+#.-]+[ \t]*(?=\r?\n)|json)?/iu;

/** The content of a text that is one fenced code block; any other text is only trimmed. */
export function unwrapFence(text: string): string {
  const trimmed = text.trim();
  const rest = trimmed.replace(openingFence, "");
  if (rest.length === trimmed.length || !rest.endsWith(fence)) return trimmed;
  return rest.slice(0, -fence.length).trim();
}
