/** What input costs that a provider keeps, as a share of its price for input: to read it again, and to write it down. */
interface CacheShares {
  readonly read: number;
  /** 1 where it is not told: then writing costs what input costs. */
  readonly write: number;
  /** The same where it is kept for an hour. */
  readonly write1h: number;
}

/** By the names of the price table, dots as dashes. Of a model that is not here nothing is known: its cached input costs the whole price. */
const families: readonly (readonly [name: RegExp, read: number, write?: number, write1h?: number])[] = [
  [/^claude-/, 0.1, 1.25, 2],
  [/^gpt-5(?:-\d)?(?:-(?:mini|nano|chat|codex|codex-max|codex-mini|sol|terra|luna))?$/, 0.1],
  [/^(?:gpt-4-1(?:-mini|-nano)?|o3|o4-mini)$/, 0.25],
  [/^(?:gpt-4o(?:-mini)?|o1|o1-mini|o3-mini)$/, 0.5],
  [/^gemini-2-0-flash$/, 0.25],
  [/^gemini-(?:2-5|3)/, 0.1],
  [/^deepseek-(?:chat|reasoner|v3-2)$/, 0.1],
  [/^(?:grok-[34]|kimi-k2)(?:-mini|-fast-reasoning|-fast-non-reasoning|-1-fast|-thinking)?$/, 0.25],
];

export function cacheSharesOf(comparableName: string): CacheShares {
  const [, read = 1, write = 1, write1h = write] = families.find(([name]) => name.test(comparableName)) ?? [];
  return { read, write, write1h };
}
