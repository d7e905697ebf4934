const end = "</think>";

/**
 * An answer without the thoughts that a model with no other place for them writes before it. Some servers keep their opening mark to
 * themselves. An answer that begins as JSON, or as a fence around it, is left whole: the mark may be something it quotes.
 */
export function withoutThoughts(text: string): string {
  if (/^\s*[{`]/u.test(text)) return text;
  const last = text.lastIndexOf(end);
  return last === -1 ? text : text.slice(last + end.length);
}
