import { variables, type Variable } from "../../src/settings/variables.ts";

/** What a variable is about. The first that fits counts, so the narrow ones come first. */
const sections: readonly (readonly [title: string, names: RegExp])[] = [
  [
    "Where the services listen, and who may call them",
    /^REHEARSAL_(HOST|AGENT_PORT|EVAL_PORT|EVAL_PUBLIC_URL|ALLOWED_HOSTS|CORS_ORIGINS|API_KEYS|ALLOW_UNAUTHENTICATED)$/,
  ],
  ["The command line", /^REHEARSAL_(SERVER|AGENT|API_KEY)$/],
  [
    "Models and their providers",
    /^(HUB_|STUDIO_|AGENT_MODEL_ALIASES$|OPENAI_|ANTHROPIC_|OPENROUTER_|HF_|REHEARSAL_(DEMO|PRICES_FILE)$)/,
  ],
  ["Endpoints under test", /^EVAL_/],
  ["Judges, labels and scores", /^(JUDGE_|LABELLER_|EMBEDDINGS_|REHEARSAL_SCORERS_MODULE$)/],
  ["Code of users", /^REHEARSAL_CODE_/],
  ["The agent and its tools", /^(AGENT_|REHEARSAL_AGENT_)/],
  ["The store", /^(DATABASE_URL$|REHEARSAL_(DATA_DIR|BACKUP_|RETENTION_DAYS))/],
  [
    "Runs",
    /^REHEARSAL_(CONCURRENCY_|QUEUE_|LEASE_|HEARTBEAT_|IDEMPOTENCY_|WEBHOOK_|RATE_LIMIT_ORIGIN_|MAX_(ATTEMPTS|INTERACTIONS|CALLS_PER_RUN|SCORES)$)/,
  ],
  ["Calls to models", /^REHEARSAL_(UPSTREAM_|BREAKER_)/],
  ["Requests and connections", /^REHEARSAL_(MAX_|HTTP_|SHED_|SHUTDOWN_|RATE_LIMIT_)/],
  ["Logs and telemetry", /^(LOG_LEVEL$|OTEL_|LANGFUSE_)/],
];

/** docs/reference/environment.md: every variable the services read. */
export function environmentPage(): string {
  const bySection = Map.groupBy(variables, sectionOf);
  const parts = sections.map(([title]) => `## ${title}\n\n${(bySection.get(title) ?? []).map(line).join("\n")}`);
  return `# Environment

Written by \`node scripts/write-reference.ts\` from \`src/settings/variables.ts\`; do not edit.

Variables are read once at the start, from the process and from \`.env\`, or from the files that \`--env\` names instead; the process outranks a file, a later file an earlier one. A value that cannot be used ends the start with one line and exit code 78;
an unknown name with one of our prefixes is warned about with the nearest known one. A variable marked secret may be given as
\`<name>_FILE\` instead: the path of a file that holds it. Defaults joined by \`/\` are those of the evaluation service and the agent backend.

${parts.join("\n\n")}
`;
}

function sectionOf({ name }: Variable): string {
  const found = sections.find(([, names]) => names.test(name));
  if (!found) throw new Error(`${name} belongs to no section of the page: name one in ${import.meta.filename}`);
  return found[0];
}

function line({ name, default: value, meaning, secret }: Variable): string {
  const notes = [...(value === "" ? [] : [`default ${value}`]), ...(secret ? ["secret"] : [])];
  return `- \`${name}\`${notes.length > 0 ? ` (${notes.join("; ")})` : ""}: ${meaning}`;
}
