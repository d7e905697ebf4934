interface Accepted {
  readonly reason: string;
  readonly patterns: readonly RegExp[];
}

/** Patterns that recheck calls slow or cannot judge, and why they do no harm. */
export const accepted: readonly Accepted[] = [
  {
    reason: "the operator's own settings and configuration files",
    patterns: [
      /:\/\/.*@/s,
      /(:\/\/[^?#]*[?#]).+/s,
      /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*)$/,
      /\$\{([^}]*)\}/g,
      /^must be (?<kind>.+), not (?<given>.+)$/,
      /\$\$\{|\$\{(?<name>[A-Za-z_]\w*)(?::-(?<fallback>[^}]*))?\}/g,
    ],
  },
  { reason: "the text of one number", patterns: [/\.?0+e/, /\B(?=(?:\d{3})+$)/g, /\.?0+$/] },
  {
    reason: "texts cut to 300 characters, or to the first kilobyte of a page",
    patterns: [
      /(?:^|\b(?:what(?:'s|’s| is| are)?|how much (?:is|are)|calculate|compute|evaluate|work out|solve)\s+)([\d(-][\d\s.+\-*/()^]*)(?=\s*(?:$|[?=!,;:]|and\b|please\b|for me\b|then\b))/i,
      /<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)/i,
    ],
  },
  {
    reason: "one class repeated, or pieces of limited length, with the flag v that recheck does not know",
    patterns: [
      /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\u200C\u200D]]+/gv,
      /\r\n|[\p{Cc}--[\n\t]](?:\[\d+m)?|[\u202A-\u202E\u2066-\u2069\u2028\u2029]/gv,
    ],
  },
];
