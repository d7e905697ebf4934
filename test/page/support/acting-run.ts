import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../../src/contract/schemas/interaction-result.ts";
import { makeResults } from "./make-results.ts";

const references = [
  { name: "get_order", arguments: { order_id: "1042" } },
  { name: "cancel_order", arguments: { order_id: "1042", reason: { $text: "changed mind" } } },
  { name: "log_reason" },
];

const lookup = { id: "1", name: "get_order", arguments: { order_id: "1042" }, result: { status: "paid" }, ms: 12 };

/** A turn in which nearly everything that can be wrong with a call is wrong. */
const wrongCalls: Partial<InteractionResult> = {
  reference_tool_calls: references,
  tool_calls: [
    lookup,
    {
      id: "2",
      name: "cancel_order",
      arguments: { order_id: "1043", reason: "Changed mind", note: "asap" },
      error: "The order was shipped.",
      ms: 3,
    },
    { id: "3", name: "send_email", arguments: { to: "a@example.com" }, error: "There is no such tool." },
    {
      id: "4",
      name: "refund_order",
      arguments: '{"amount": ',
      arguments_error: "Unexpected end of JSON input",
      error: "The arguments are not valid JSON",
    },
  ],
  tool_comparison: {
    pairs: [
      { call: 0 },
      {
        call: 1,
        wrong: [
          { argument: "order_id", reason: 'order_id is "1043", expected "1042"' },
          { argument: "note", reason: 'note is "asap", but the reference does not name it' },
        ],
      },
      { call: null },
    ],
    unexpected: [2],
    problems: [{ call: 2, kind: "unknown_tool", reason: "there is no tool of this name" }],
  },
};

const rightCalls: Partial<InteractionResult> = {
  reference_tool_calls: references.slice(0, 1),
  tool_calls: [lookup],
  tool_comparison: { pairs: [{ call: 0 }] },
};

const greeting = { user: "Hello", reply: "Hello! How can I help?", reference: "Hello! How can I help?", overall: 1 };
const bye = { user: "Thanks", reply: "You are welcome.", reference: "You are welcome.", overall: 1 };
const cancel = { user: "Please cancel order 1042.", reference: "Order 1042 is cancelled." };

const differences = Array.from({ length: 40 }, (_, index) => ({
  path: `/orders/${index}/status`,
  expected: "cancelled",
  ...(index > 0 && { actual: `${index} ${"paid ".repeat(100)}` }),
}));

function build(): EvaluationResponse {
  const run = makeResults({
    id: "01990000-0000-7000-8000-0000000000ac",
    name: "orders",
    scenarios: [
      {
        id: "cancel-order",
        attempts: [
          [greeting, { ...cancel, reply: "Order 1042 is cancelled.", overall: 1 }, bye],
          [greeting, { ...cancel, reply: "Done.", overall: 0.2 }, bye],
          [greeting, { ...cancel, reply: "Order 1042 is cancelled.", overall: 1 }, bye],
        ],
      },
    ],
  });
  const [scenario] = run.results.scenarios;
  for (const [index, attempt] of (scenario?.attempts ?? []).entries()) {
    const turn = attempt.interactions[1];
    if (turn) Object.assign(turn, index === 1 ? wrongCalls : rightCalls);
    if (turn) {
      turn.scores["tool_match"] = index === 1 ? 0 : 1;
      turn.score_reasons["overall"] = "reply 1.00 (chrf) and tools 0.00 (tool_match)";
      turn.score_reasons["tool_match"] =
        index === 1 ? 'cancel_order: order_id is "1043"' : "the expected call was made";
    }
    const passed = index === 0;
    const parts = [
      { name: "replies", passed: true, reason: "every turn got a reply" },
      { name: "state", passed, reason: passed ? "the value is as expected" : "/orders/0/status is missing" },
      { name: "rubric", passed: null, reason: "undecided: the run has no judge" },
    ];
    attempt.outcome = { value: passed ? 1 : 0, parts, ...(!passed && { state_diff: differences }) };
    const scores = { outcome: passed ? 1 : 0, "outcome.replies": 1, "outcome.state": passed ? 1 : 0 };
    const score_reasons = Object.fromEntries(parts.map(({ name, reason }) => [`outcome.${name}`, reason]));
    attempt.conversation = { scores, score_reasons, judgements: {} };
    Object.assign(attempt.average_scores, scores);
  }
  const stats = (mean: number) => ({
    n: 3,
    n_missing: 0,
    mean,
    min: 0,
    sd: 0.5,
    stderr: 0.3,
    ci_lower: 0.1,
    ci_upper: 0.9,
    method: "t over attempts",
  });
  Object.assign(run.summary.score_stats, {
    outcome: stats(1 / 3),
    "outcome.state": stats(1 / 3),
    tool_match: stats(2 / 3),
  });
  if (scenario?.reliability) scenario.reliability.pass_hat_k = [1 / 3, 0, 0];
  return run;
}

/** A run of an agent with tools: the first attempt is right, the second makes wrong calls, the third misses only its outcome. */
export const actingRun = build();
