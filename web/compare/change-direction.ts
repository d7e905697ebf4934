export const changeLooks = {
  worse: { mark: "▼", className: "text-bad" },
  better: { mark: "▲", className: "text-good" },
  alike: { mark: "≈", className: "text-soft" },
} as const;

/** Below this both scores are written alike. */
const visible = 0.005;

export function directionOf({ difference }: { readonly difference: number }): keyof typeof changeLooks {
  if (Math.abs(difference) < visible) return "alike";
  return difference < 0 ? "worse" : "better";
}
