import { readFileSync } from "node:fs";
import { resolve } from "node:path";

type Answers = Readonly<Record<string, unknown>>;

/** The answers that `node scripts/record-answers.ts` recorded, by service and operation id. */
export const recordedAnswers = JSON.parse(readFileSync(resolve(import.meta.dirname, "answers.json"), "utf8")) as {
  readonly evaluation: Answers;
  readonly agent: Answers;
};
