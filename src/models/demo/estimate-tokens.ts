const pieces = /[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu;
const lettersPerToken = 6;

const longestCounted = 20_000;

/** A simple, repeatable guess: short words and signs are one token, longer words one for every six letters. */
export function estimateTokens(text: string): number {
  // A huge text is judged by its beginning: counting all of it would hold up every other request.
  const counted = text.slice(0, longestCounted);
  let tokens = 0;
  for (const [piece] of counted.matchAll(pieces)) tokens += tokensOf(piece);
  return counted.length === text.length ? tokens : Math.ceil((tokens * text.length) / counted.length);
}

/** The start of a text that fits into `limit` tokens. */
export function cutToTokens(text: string, limit: number): string {
  let tokens = 0;
  for (const match of text.matchAll(pieces)) {
    tokens += tokensOf(match[0]);
    if (tokens > limit) return text.slice(0, match.index).trimEnd();
  }
  return text;
}

function tokensOf(piece: string): number {
  return Math.ceil([...piece].length / lettersPerToken);
}
