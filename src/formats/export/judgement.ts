/** What a run as a whole was held to and how that ended: a gate, a baseline, a budget, a target that has to answer. */
export interface Judgement {
  readonly name: string;
  /** `told` is for the reader alone. */
  readonly outcome: "passed" | "failed" | "error" | "told";
  readonly message: string;
}
