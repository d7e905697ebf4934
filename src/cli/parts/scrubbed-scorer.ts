import type { CustomScorer } from "../../evaluation/scorers/custom-scorer.ts";

/**
 * A scorer of the operator whose words hold no secret: why it gave a score, or failed, is stored and told to whoever asked for the
 * run. A service that it calls may repeat the key it was sent.
 */
export function scrubbedScorer(scorer: CustomScorer, scrub: (text: string) => string): CustomScorer {
  return async (input) => {
    try {
      const answer = await scorer(input);
      if (typeof answer !== "object" || answer === null || answer.reason == null) return answer;
      return { ...answer, reason: scrub(String(answer.reason)) };
    } catch (cause) {
      const text = cause instanceof Error ? cause.message || cause.name : String(cause);
      throw new Error(scrub(text), { cause });
    }
  };
}
