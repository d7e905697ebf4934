import { reservedScores } from "../../contract/schemas/score-names.ts";
import type { CustomScorer, CustomScorers } from "../../evaluation/scorers/custom-scorer.ts";
import { SettingsError } from "../../settings/settings-error.ts";
import { importOperatorModule } from "./import-operator-module.ts";

const scoreName = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * The operator's own scorers: every function a module exports, by its name. A request may name them, never bring them.
 *
 * @example export const polite = ({ reply }) => (/please|thank/i.test(reply) ? 1 : 0);
 */
export async function readCustomScorers(
  path: string | null,
  { scrub }: { scrub: (text: string) => string },
): Promise<CustomScorers> {
  if (path === null) return {};
  const module = await importOperatorModule("REHEARSAL_SCORERS_MODULE", path);
  const scorers = Object.entries(module).filter(
    (entry): entry is [string, CustomScorer] => typeof entry[1] === "function",
  );
  for (const [name] of scorers) {
    const problem = nameProblem(name);
    if (problem !== null) throw new SettingsError("REHEARSAL_SCORERS_MODULE", `exports "${name}": ${problem}`);
  }
  return Object.fromEntries(scorers.map(([name, scorer]) => [name, scrubbedScorer(scorer, scrub)]));
}

function nameProblem(name: string): string | null {
  if (!scoreName.test(name)) return "name scorers with lower-case letters, digits and _";
  return reservedScores.has(name) ? "that is the name of another score" : null;
}

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
