/** `rehearsal-eval/jest`: matchers for results. Importing it extends Jest's `expect`. */
import "./required-node.ts";
import { toPassAtLeast, toScoreAbove, type PassOptions, type ScoreOptions } from "./evaluate/matchers.ts";

export type { PassOptions, Scored, ScoreOptions } from "./evaluate/matchers.ts";

interface RehearsalMatchers<Returned> {
  /** Passes when the score of a run or scenario is above a bound. */
  toScoreAbove(bound: number, options?: ScoreOptions): Returned;
  /** Passes when the probability that k attempts all pass is at least `share`. */
  toPassAtLeast(share: number, options?: PassOptions): Returned;
}

declare global {
  namespace jest {
    interface Matchers<R> extends RehearsalMatchers<R> {}
  }
}

/**
 * For an `expect` that is imported, where Jest injects no globals.
 *
 * @example
 * import { expect } from "@jest/globals";
 * import { matchers } from "rehearsal-eval/jest";
 * expect.extend(matchers);
 */
export const matchers = { toScoreAbove, toPassAtLeast };

const { expect } = globalThis as { expect?: { extend(added: object): void } };
expect?.extend(matchers);
