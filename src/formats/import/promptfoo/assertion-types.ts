/** Assertions whose value is a text the reply should be like: it is a reference reply. */
export const references: ReadonlySet<string> = new Set([
  "equals",
  "similar",
  "levenshtein",
  "rouge-n",
  "bleu",
  "gleu",
  "meteor",
  "factuality",
  "model-graded-factuality",
]);

/** Assertions that are data: checks of the turn where we have one that judges the same, else listed beside the scenarios. */
export const checkable: ReadonlySet<string> = new Set([
  ...references,
  "contains",
  "icontains",
  "contains-all",
  "contains-any",
  "icontains-all",
  "icontains-any",
  "starts-with",
  "regex",
  "word-count",
  "llm-rubric",
  "g-eval",
  "model-graded-closedqa",
  "is-json",
  "contains-json",
  "latency",
  "cost",
]);

/** Why other assertions are left out. */
export const reasons: ReadonlyMap<string, string> = new Map([
  ["javascript", "it runs code of its own"],
  ["python", "it runs code of its own"],
  ["ruby", "it runs code of its own"],
  ["webhook", "it asks another service"],
  ["perplexity", "it needs token probabilities"],
  ["perplexity-score", "it needs token probabilities"],
]);

/** All else that promptfoo can assert: it has no counterpart here. */
const others = [
  "agent-rubric",
  "answer-relevance",
  "classifier",
  "contains-html",
  "contains-sql",
  "contains-xml",
  "context-faithfulness",
  "context-recall",
  "context-relevance",
  "conversation-relevance",
  "finish-reason",
  "guardrails",
  "is-html",
  "is-refusal",
  "is-sql",
  "is-valid-function-call",
  "is-valid-openai-function-call",
  "is-valid-openai-tools-call",
  "is-xml",
  "moderation",
  "pi",
  "search-rubric",
  "skill-used",
  "tool-call-f1",
  "trace-error-spans",
  "trace-span-count",
  "trace-span-duration",
  "trajectory:goal-success",
  "trajectory:step-count",
  "trajectory:tool-args-match",
  "trajectory:tool-sequence",
  "trajectory:tool-used",
];

export const assertionTypes: ReadonlySet<string> = new Set([...checkable, ...reasons.keys(), ...others]);
