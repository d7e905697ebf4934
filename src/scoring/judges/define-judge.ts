import type { Choices } from "../checks/rubric.ts";

/** What a turn, or a conversation, must have for a judge to be asked. */
export type JudgeNeed = "reference" | "context" | "calls" | "tools" | "system" | "earlier";

/** A judge that is ready to be asked. */
export interface ReadyJudge<Name extends string = string> {
  readonly name: Name;
  /** For people. */
  readonly title: string;
  /** What it decides, in a few words. */
  readonly help: string;
  readonly scope: "turn" | "conversation";
  /** All of these; a turn without one of them is not judged. */
  readonly needs: readonly JudgeNeed[];
  /** The question, as the judge reads it: what each verdict means. */
  readonly text: string;
  readonly choices: Choices;
  /** True when the verdict must quote what it rests on. */
  readonly quotes: boolean;
}

/** Yes or no. */
export const binary: Choices = { pass: 1, fail: 0 };
/** With something between. */
export const threePoint: Choices = { pass: 1, partial: 0.5, fail: 0 };

/** Declares a judge. Its score is `judge.<name>`, or `conversation.<name>`. */
export const defineJudge = <const Name extends string>(
  entry: Omit<ReadyJudge<Name>, "quotes" | "needs"> & Partial<Pick<ReadyJudge, "quotes" | "needs">>,
): ReadyJudge<Name> => ({ quotes: true, needs: [], ...entry });
