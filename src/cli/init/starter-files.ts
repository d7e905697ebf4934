import { stringify } from "yaml";
import { jsonSchema } from "../commands/schema.ts";
import type { Target } from "./ask-target.ts";

/** What `rehearsal init` writes, by name. It runs as it is: the demo models need no key. */
export function starterFiles({ endpoint = "agent", model = "demo/retrieval" }: Target): Record<string, string> {
  return {
    "rehearsal.yaml": config(endpoint, model),
    "rehearsal.schema.json": `${JSON.stringify(jsonSchema("config"), null, 2)}\n`,
    "scenarios/refund.yaml": refund,
    "scenarios/delivery-time.yaml": delivery,
    ".env.example": environment,
    ".github/workflows/rehearsal.yml": workflow,
  };
}

const config = (endpoint: string, model: string): string => `# yaml-language-server: $schema=./rehearsal.schema.json
# Every key: rehearsal schema config. \${NAME} and \${NAME:-default} are taken from the environment.
name: support
scenarios: scenarios/
# agent is Rehearsal's own agent backend; any OpenAI-compatible address works too.
${stringify({ endpoint, model })}attempts: 3
gates:
  - success>=1
  # - overall>=0.8
  # - overall.ci_lower>=0.7
  # - pass^3>=0.9
`;

const refund = `id: refund
description: A customer wants money back and asks how long it takes.
tags: [refund]
interactions:
  - id: asks-for-refund
    user_message: I want my money back for order 1042.
    reference_reply: I can help with that. Your refund for order 1042 arrives within 5 working days.
    reference_metadata:
      intent: refund
      sentiment: neutral
  - id: says-thanks
    user_message: Great, thank you!
    reference_reply: You are welcome. Is there anything else I can do for you?
`;

const delivery = `id: delivery-time
description: A customer asks when the parcel comes.
tags: [delivery]
interactions:
  - id: asks-when
    user_message: How long does delivery take?
    reference_reply: Delivery takes 2 to 4 working days.
    reference_metadata:
      intent: delivery
`;

const environment = `# Copy to .env. Keys are sent to the place they belong to and nowhere else.
# OPENAI_API_KEY=
# ANTHROPIC_API_KEY=
# EVAL_ENDPOINT_ORIGIN=https://models.example.com
# EVAL_ENDPOINT_API_KEY=
`;

const workflow = `name: rehearsal
on: pull_request
permissions:
  contents: read
jobs:
  evaluate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: 24
      - run: npx --yes rehearsal eval -o results.json -o report.html -o junit.xml
      - uses: actions/upload-artifact@v5
        if: always()
        with:
          name: rehearsal
          path: |
            results.json
            report.html
            junit.xml
`;
