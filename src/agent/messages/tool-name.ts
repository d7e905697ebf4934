const longestName = 200;

/**
 * The tool that a call refers to. Servers pass on what their models write around the name: harmony's `functions.weather` and
 * `weather<|channel|>commentary`, Kimi's `functions.weather:0`, Gemini's `default_api.weather`, and names in their original spelling
 * where `toToolName` changed it. A name that matches no tool is returned unchanged.
 */
export function matchToolName(name: string, isTool: (name: string) => boolean): string {
  if (isTool(name) || name.length > longestName) return name;
  const [written = ""] = name.trim().split(/<[|｜]/, 1);
  const plain = written.trim();
  const bare = plain.replace(/^(?:functions|tools|default_api)[.:]/, "").replace(/:\d+$/, "");
  const candidates = [plain, toToolName(plain), bare, toToolName(bare)];
  return plain === "" || bare === "" ? name : (candidates.find(isTool) ?? name);
}

/** Function names that every provider accepts. */
export const toolNamePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** The nearest name that providers accept. */
export function toToolName(name: string | null | undefined): string {
  const usable = (name ?? "").replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
  return usable === "" ? "tool" : usable;
}

/** The nearest argument name that every provider accepts: some refuse `filter[state]` and `$top`. */
export function toArgumentName(name: string): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  const words = name.split(/[^\w.-]+/).filter((word) => word !== "");
  return words.join("_").slice(0, 64) || "value";
}
