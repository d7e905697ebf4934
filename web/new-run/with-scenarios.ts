import { parseScenarios } from "./parse-scenarios.ts";

/** The text with other scenarios. What a whole request says beside them stays. */
export function withScenarios(text: string, scenarios: readonly unknown[]): string {
  const parsed = parseScenarios(text);
  const request = parsed.kind === "parsed" ? parsed.request : {};
  const whole = Object.keys(request).length > 0;
  return JSON.stringify(whole ? { ...request, test_batch: scenarios } : scenarios, null, 2);
}
