const mark = "[redacted]";

/** Shapes that are secrets whoever issued them. The first group, where there is one, stays. */
const patterns: readonly RegExp[] = [
  /\b(Bearer\s+)[\w.~+/=-]{8,}/gi,
  /\b(Basic\s+)[\w+/=-]{20,}/gi,
  /\b(?:sk|pk|rk|gsk|xai|or)-[\w-]{16,}/g,
  /\b(?:hf|gsk|ghp|gho|ghs|github_pat|glpat|xoxb|xoxp|whsec)[_-][\w-]{16,}/g,
  /\brh_[0-9A-Za-z]{8}_[\w-]{16,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /(\/\/[^\s/:@"']*:)[^\s/@"']+(?=@)/g,
  /((?:api[-_]?key|access[-_]?token|auth[-_]?token|password|secret)\\?["']?\s*[=:]\s*\\?["']?)[^\s"'\\&,;}]{4,}/gi,
];

/** Removes what looks like a key. */
export function withoutKeys(text: string): string {
  return patterns.reduce((result, pattern) => result.replace(pattern, keepPrefix), text);
}

function keepPrefix(_match: string, prefix: unknown): string {
  return `${typeof prefix === "string" ? prefix : ""}${mark}`;
}
