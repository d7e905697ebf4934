/** `unknown`: the question could not be put, or the answer says nothing either way. */
export type Verdict = "yes" | "no" | "unknown";

export interface Finding {
  readonly verdict: Verdict;
  /** One sentence for people: what was seen. */
  readonly detail: string;
}

/** What a model was seen to do. */
export interface Capabilities {
  readonly streaming: Finding;
  /** Whether a stream ends with the tokens it cost. */
  readonly streaming_usage: Finding;
  readonly tools: Finding;
  /** Several tools in one turn. */
  readonly parallel_tools: Finding;
  /** Replies that keep to a JSON schema. */
  readonly json_schema: Finding;
}

/** The findings, and the tokens that finding out has cost as far as the model said. */
export interface CapabilityReport {
  readonly capabilities: Capabilities;
  readonly tokens: number;
}

export const yes = (detail: string): Finding => ({ verdict: "yes", detail });
export const no = (detail: string): Finding => ({ verdict: "no", detail });
export const unknown = (detail: string): Finding => ({ verdict: "unknown", detail });
