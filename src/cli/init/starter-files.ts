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
    ".gitignore": gitIgnore,
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

/** What nobody else should get: the data folder holds runs and keys. */
export const privateNames = [".rehearsal/", ".env"] as const;

const gitIgnore = `${privateNames.join("\n")}\n`;

/** The workflow by its place in the repository. `folder`: where the configuration is in there, "" at the top. */
export function workflowFile(folder: string): Record<string, string> {
  return { ".github/workflows/rehearsal.yml": workflow(folder) };
}

const results = ["results.json", "report.html", "junit.xml"];

/** With several models each file has their number in its name. */
const anyNumber = (name: string): string => name.replace(".", "*.");

const workflow = (folder: string): string => `name: rehearsal
on: pull_request
permissions:
  contents: read
jobs:
  evaluate:
    runs-on: ubuntu-latest
${folder === "" ? "" : `    defaults:\n      run:\n        working-directory: ${JSON.stringify(folder)}\n`}    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: 24
      # Rehearsal is no package of the npm registry: add its packed file to your devDependencies
      # (npm install --save-dev ./rehearsal-0.1.0.tgz). --no fetches nothing by that name.
      - run: npm ci
      - run: npx --no -- rehearsal eval ${results.map((name) => `-o ${name}`).join(" ")}
      - uses: actions/upload-artifact@v5
        if: always()
        with:
          name: rehearsal
          path: |
${results.map((name) => `            ${folder === "" ? "" : `${folder}/`}${anyNumber(name)}`).join("\n")}
`;
