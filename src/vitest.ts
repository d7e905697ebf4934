/**
 * `rehearsal-eval/vitest`: matchers for results. Importing it extends vitest's `expect`.
 *
 * @example
 * import "rehearsal-eval/vitest";
 * expect((await evaluate({ scenarios, target })).raw).toScoreAbove(0.8);
 */
import "./required-node.ts";
import { expect } from "vitest";
import { toPassAtLeast, toScoreAbove, type PassOptions, type ScoreOptions } from "./evaluate/matchers.ts";

export type { PassOptions, Scored, ScoreOptions } from "./evaluate/matchers.ts";

declare global {
  // Not vitest's own `Matchers`: its type parameters, which an augmentation must repeat, change with every major version.
  namespace Chai {
    interface Assertion {
      /** Passes when the score of a run or scenario is above a bound. */
      toScoreAbove(bound: number, options?: ScoreOptions): void;
      /** Passes when the probability that k attempts all pass is at least `share`. */
      toPassAtLeast(share: number, options?: PassOptions): void;
    }
  }
}

expect.extend({ toScoreAbove, toPassAtLeast });
