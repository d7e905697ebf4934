import { toToolName } from "./tool-name.ts";

const longestName = 200;

/**
 * The name of the tool that a call means. Servers hand on what their models were trained to write around it: harmony's
 * `functions.weather` and `weather<|channel|>commentary`, Kimi's `functions.weather:0`, Gemini's `default_api.weather`, and names with
 * signs that we had to replace. The name as it is when no tool is meant.
 */
export function toMeantName(name: string, isTool: (name: string) => boolean): string {
  if (isTool(name) || name.length > longestName) return name;
  const [written = ""] = name.trim().split(/<[|｜]/, 1);
  const plain = written.trim();
  const bare = plain.replace(/^(?:functions|tools|default_api)[.:]/, "").replace(/:\d+$/, "");
  const candidates = [plain, toToolName(plain), bare, toToolName(bare)];
  return plain === "" || bare === "" ? name : (candidates.find(isTool) ?? name);
}
