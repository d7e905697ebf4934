import { longestTimer } from "../base/deadline.ts";
import type { Environment } from "./environment.ts";
import { quoted, SettingsError } from "./settings-error.ts";

interface NumberRange {
  readonly minimum: number;
  readonly maximum: number;
  /** Set when fractions are allowed; otherwise only whole numbers are. */
  readonly fraction?: true;
}

/** A number the operator may change: in the environment (`variable`) or in the `limits` section of the configuration (`key`). */
interface NumberSetting extends NumberRange {
  readonly default: number;
  readonly meaning: string;
}

interface NumberVariable extends NumberSetting {
  readonly variable: string;
}

interface Limit<Key extends string = string> extends NumberSetting {
  readonly key: Key;
}

type SettingsGroup = Readonly<Record<string, number | NumberVariable | Limit>>;

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const second = 1000;

const count = { minimum: 1, maximum: 10_000_000 } as const;
const countOrNone = { minimum: 0, maximum: 1_000_000_000 } as const;
const bytes = { minimum: kibibyte, maximum: 1024 * mebibyte } as const;
const wait = { minimum: 1, maximum: longestTimer } as const;
const days = { minimum: 0, maximum: 36_500 } as const;

/** Every numeric setting by group. A plain number is a constant: no operator had a reason to change it. */
const table = {
  /** Sizes and counts within one request. */
  limits: {
    evaluationBodyBytes: variable("REHEARSAL_MAX_BODY_BYTES", {
      ...bytes,
      default: 8 * mebibyte,
      meaning: "Largest request body of the evaluation service, in bytes.",
    }),
    agentBodyBytes: variable("REHEARSAL_MAX_BODY_BYTES", {
      ...bytes,
      default: 4 * mebibyte,
      meaning: "Largest request body of the agent backend, in bytes.",
    }),
    jsonDepth: 32,
    objectKeys: 1000,
    modelIdChars: 512,
    attempts: limit("max_attempts", { ...count, default: 100, meaning: "Attempts of one run." }),
    interactions: limit("max_interactions", { ...count, default: 1000, meaning: "Interactions of one batch." }),
    callsPerRun: limit("max_calls_per_run", {
      ...count,
      default: 10_000,
      meaning: "Calls of one run: attempts times interactions, plus those to judge and labeller.",
    }),
    scores: limit("max_scores", {
      ...count,
      default: 1000,
      meaning: "Different metadata keys and check names in one run; each is a score.",
    }),
    metadataKeys: limit("max_metadata_keys", { ...count, default: 64, meaning: "Keys of one metadata object." }),
    metadataBytes: limit("max_metadata_bytes", {
      ...bytes,
      default: 16 * kibibyte,
      meaning: "Size of one metadata object as JSON.",
    }),
    messages: limit("max_messages", {
      ...count,
      default: 500,
      meaning: "Messages of one conversation as the client sends them; steps and tool calls inside a message are free.",
    }),
  },
  concurrency: {
    global: variable("REHEARSAL_CONCURRENCY_GLOBAL", {
      ...count,
      default: 64,
      meaning:
        "Concurrent model calls of one process, plus a quarter reserved for owners whom other calls would block.",
    }),
    perOrigin: variable("REHEARSAL_CONCURRENCY_PER_ORIGIN", {
      ...count,
      default: 16,
      meaning:
        "Concurrent model calls to one origin, over all processes of a store. If set, it also limits `eval -j`; the default does not.",
    }),
    perRun: variable("REHEARSAL_CONCURRENCY_PER_RUN", {
      ...count,
      default: 8,
      meaning: "Concurrent attempts of one run.",
    }),
  },
  http: {
    requestTimeoutMs: limit("http_request_timeout_ms", {
      ...wait,
      default: 30 * second,
      meaning: "Time a client has to send its whole request.",
    }),
    headersTimeoutMs: 10 * second,
    keepAliveMs: limit("http_keepalive_ms", {
      ...wait,
      default: 5 * second,
      meaning: "How long an idle connection stays open. Set it above the idle time of a load balancer in front.",
    }),
    connections: limit("http_max_connections", { ...count, default: 2000, meaning: "Open connections." }),
    headerBytes: 16 * kibibyte,
    headers: 100,
    shutdownGraceMs: variable("REHEARSAL_SHUTDOWN_GRACE_MS", {
      ...wait,
      minimum: 0,
      default: 30 * second,
      meaning: "How long a stopping service waits for running requests, turns and attempts.",
    }),
  },
  overload: {
    requests: limit("http_max_requests", {
      ...count,
      default: 1000,
      meaning: "Concurrent requests of one service; more get 503.",
    }),
    requestsPerKey: limit("http_max_requests_per_key", {
      ...countOrNone,
      default: 500,
      meaning: "Concurrent requests of one API key, event streams included; more get 429. 0 = no limit.",
    }),
    lagMs: limit("shed_event_loop_lag_ms", {
      ...wait,
      default: 250,
      meaning: "Sustained event-loop delay above which new requests get 503.",
    }),
    rssBytes: limit("shed_rss_bytes", {
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      meaning: "Memory of the process above which new requests get 503; 0 = 85 % of what it may use.",
    }),
  },
  rateLimits: {
    evaluate: limit("rate_limit_evaluate", {
      ...countOrNone,
      default: 60,
      meaning: "Runs that one API key may start per minute; 0 = no limit.",
    }),
    agent: limit("rate_limit_agent", {
      ...countOrNone,
      default: 600,
      meaning: "Agent turns that one API key may request per minute; 0 = no limit.",
    }),
    originRequests: limit("rate_limit_origin_requests", {
      ...countOrNone,
      default: 0,
      meaning: "Evaluation calls to one origin per minute, over all workers; 0 = no limit.",
    }),
    originTokens: limit("rate_limit_origin_tokens", {
      ...countOrNone,
      default: 0,
      meaning: "Evaluation tokens at one origin per minute, over all workers; 0 = no limit.",
    }),
  },
  /** Calls to models. */
  upstream: {
    connectTimeoutMs: 5 * second,
    firstByteTimeoutMs: limit("upstream_first_byte_timeout_ms", {
      ...wait,
      default: 120 * second,
      meaning: "Time until a model endpoint sends the first byte of its response.",
    }),
    idleTimeoutMs: limit("upstream_idle_timeout_ms", {
      ...wait,
      default: 60 * second,
      meaning: "Longest pause within a model's response.",
    }),
    totalTimeoutMs: limit("upstream_total_timeout_ms", {
      ...wait,
      default: 300 * second,
      meaning: "Time for one whole model call.",
    }),
    maxReplyBytes: limit("upstream_max_reply_bytes", {
      ...bytes,
      default: 8 * mebibyte,
      meaning: "Largest response of a model, decoded.",
    }),
    maxEventBytes: mebibyte,
    retries: limit("upstream_max_retries", {
      minimum: 0,
      maximum: 20,
      default: 3,
      meaning: "Retries of one model call. A run also waits for the rate limit of an endpoint that serves other calls.",
    }),
    retryBaseMs: limit("upstream_retry_base_ms", {
      ...wait,
      default: 500,
      meaning: "First back-off between retries; it doubles each time, with full jitter, up to 20 s.",
    }),
    retryCapMs: 20 * second,
    retryAfterMaxMs: 60 * second,
    retryBudget: 0.2,
  },
  breaker: { windowMs: 30 * second, minimumCalls: 20, failureRatio: 0.5, openMs: 15 * second },
  agent: {
    maxSteps: limit("agent_max_steps", { ...count, default: 25, meaning: "Model calls of one agent run." }),
    toolCallsPerStep: limit("agent_max_tool_calls_per_step", {
      ...count,
      default: 8,
      meaning: "Tool calls in one model response.",
    }),
    toolCalls: limit("agent_max_tool_calls", { ...count, default: 100, meaning: "Tool calls of one agent run." }),
    parallel: limit("agent_parallel_tools", {
      ...count,
      default: 4,
      meaning: "Tools of one agent run that run at the same time.",
    }),
    maxTokens: limit("agent_max_tokens", {
      ...countOrNone,
      default: 0,
      meaning: "Tokens of one agent run; 0 = no limit.",
    }),
    maxCost: limit("agent_max_cost", {
      minimum: 0,
      maximum: 1_000_000,
      fraction: true,
      default: 0,
      meaning: "US dollars of one agent run, by the price table; 0 = no limit.",
    }),
    toolTimeoutMs: limit("agent_tool_timeout_ms", {
      ...wait,
      default: 30 * second,
      meaning: "Time for one tool call.",
    }),
    deadlineMs: limit("agent_deadline_ms", { ...wait, default: 300 * second, meaning: "Time for one agent run." }),
    toolResultBytes: limit("agent_max_tool_result_bytes", {
      ...bytes,
      default: 64 * kibibyte,
      meaning: "Size at which a tool result is cut.",
    }),
    fetchBytes: 2 * mebibyte,
    retentionDays: variable("REHEARSAL_AGENT_RETENTION_DAYS", {
      ...days,
      default: 30,
      meaning: "Days that agent runs are kept, and threads after their last turn; 0 = forever.",
    }),
  },
  /** Modules of users, such as the tools of a world. */
  userCode: {
    timeoutMs: limit("code_timeout_ms", {
      ...wait,
      default: 10 * second,
      meaning: "Time for one call of a module's function, such as a tool of a world.",
    }),
    memoryMb: limit("code_memory_mb", {
      minimum: 64,
      maximum: 1_000_000,
      default: 256,
      meaning: "Megabytes of memory of a process that runs modules, buffers and the process itself included.",
    }),
    processes: limit("code_processes", {
      ...count,
      maximum: 256,
      default: 2,
      meaning: "Processes that run modules at the same time.",
    }),
    targetMemoryMb: limit("target_memory_mb", {
      minimum: 64,
      maximum: 1_000_000,
      default: 2048,
      meaning: "Megabytes of memory of a process that runs the agent under test (--target, --target-command).",
    }),
    targetProcesses: limit("target_processes", {
      ...count,
      maximum: 256,
      default: 4,
      meaning: "Processes of the agent under test at the same time, unless -j sets another number.",
    }),
  },
  runs: {
    retentionDays: variable("REHEARSAL_RETENTION_DAYS", {
      ...days,
      default: 0,
      meaning: "Days that runs are kept after they end; 0 = forever.",
    }),
    backupEveryHours: variable("REHEARSAL_BACKUP_EVERY_HOURS", {
      ...count,
      default: 24,
      meaning: "Hours between two backups.",
    }),
    backupKeep: variable("REHEARSAL_BACKUP_KEEP", { ...count, default: 7, meaning: "Number of backups to keep." }),
    queueLength: limit("queue_max_runs", {
      ...count,
      default: 1000,
      meaning: "Unfinished runs; POST /evaluate refuses more with 503.",
    }),
    queuePerKey: limit("queue_max_runs_per_key", {
      ...countOrNone,
      default: 500,
      meaning: "Unfinished runs of one key's owner; POST /evaluate refuses more with 429. 0 = no limit.",
    }),
    leaseMs: limit("lease_ms", {
      ...wait,
      minimum: second,
      default: 25 * second,
      meaning:
        "How long a worker that stopped responding keeps an attempt; at least 8 s more than REHEARSAL_WATCHDOG_MS, so that an attempt that blocks its process does not go on to the next. With PostgreSQL the minimum is 10000, in whole seconds, and all processes need the same value.",
    }),
    heartbeatMs: 5 * second,
    watchdogMs: variable("REHEARSAL_WATCHDOG_MS", {
      ...wait,
      minimum: 0,
      default: 15 * second,
      meaning:
        "After so long without a sign of its event loop, a service or worker is ended and started again; 0 = never, and without a supervising process (docs/reliability.md).",
    }),
    idempotencyHours: 24,
  },
} as const satisfies Record<string, SettingsGroup>;

type NumberTable = typeof table;

/** The numeric settings by group: `numbers.limits.attempts`, `numbers.upstream.retries`, … */
export type NumberSettings = {
  readonly [Name in keyof NumberTable]: { readonly [Key in keyof NumberTable[Name]]: number };
};

type KeysOf<Entry> = Entry extends Limit<infer Key> ? Key : never;
type LimitKey = { [Name in keyof NumberTable]: KeysOf<NumberTable[Name][keyof NumberTable[Name]]> }[keyof NumberTable];

/** The `limits` section of the configuration file. */
export type LimitOverrides = { readonly [Key in LimitKey]?: number | undefined };

const entries: readonly (number | NumberVariable | Limit)[] = Object.values<SettingsGroup>(table).flatMap((group) =>
  Object.values(group),
);

/** Every numeric environment variable. REHEARSAL_MAX_BODY_BYTES has one entry per service. */
export const numberVariables: readonly NumberVariable[] = entries.filter(
  (entry): entry is NumberVariable => typeof entry === "object" && "variable" in entry,
);

/** Every key of the `limits` section. */
export const limitSettings: readonly Limit<LimitKey>[] = entries.filter(
  (entry): entry is Limit<LimitKey> => typeof entry === "object" && "key" in entry,
);

export function readNumbers(
  environment: Environment,
  { limits, postgres }: { limits: LimitOverrides; postgres: boolean },
): NumberSettings {
  const read = ([name, group]: [string, SettingsGroup]) => [name, readGroup(group, { environment, limits })] as const;
  const numbers = Object.fromEntries(Object.entries(table).map(read)) as NumberSettings;
  const { http, runs } = numbers;
  const leaseMs = postgres ? postgresLease(runs.leaseMs) : runs.leaseMs;
  return {
    ...numbers,
    http: { ...http, headersTimeoutMs: Math.min(http.headersTimeoutMs, http.requestTimeoutMs) },
    runs: { ...runs, leaseMs, heartbeatMs: Math.min(runs.heartbeatMs, leaseMs / 2) },
  };
}

function readGroup(
  group: SettingsGroup,
  { environment, limits }: { environment: Environment; limits: LimitOverrides },
): Record<string, number> {
  const read = (entry: SettingsGroup[string]): number => {
    if (typeof entry === "number") return entry;
    if ("key" in entry) return limits[entry.key as LimitKey] ?? entry.default;
    const text = environment.text(entry.variable);
    return text === null ? entry.default : parseNumber(entry.variable, text, entry);
  };
  return Object.fromEntries(Object.entries(group).map(([name, entry]) => [name, read(entry)]));
}

/** Accepts digits only: a number in another notation is more often a mistake than intended. */
export function parseNumber(name: string, text: string, { minimum, maximum, fraction }: NumberRange): number {
  const value = (fraction ? /^\d+(\.\d+)?$/ : /^\d+$/).test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw new SettingsError(
    name,
    `is ${quoted(text)}: use a ${fraction ? "number" : "whole number"} from ${minimum} to ${maximum}`,
  );
}

/** A hung process needs this time to be ended and replaced, after it last renewed its leases. */
const replacedWithinMs = 3 * second;

export function warnOfShortLease({ leaseMs, heartbeatMs, watchdogMs }: NumberSettings["runs"]): readonly string[] {
  const least = watchdogMs + heartbeatMs + replacedWithinMs;
  if (watchdogMs === 0 || leaseMs >= least) return [];
  return [
    `limits.lease_ms is ${leaseMs}: other processes take over from a hung one before it is ended (REHEARSAL_WATCHDOG_MS, ${watchdogMs}), and an attempt that blocks its process blocks theirs too: set ${least} or more`,
  ];
}

/** pg-boss counts in whole seconds and accepts no lease below ten. */
function postgresLease(asked: number): number {
  return Math.max(10 * second, Math.ceil(asked / second) * second);
}

/** A setting of one value, as the settings page shows it: `name` is the variable, or the key in the configuration file. */
interface NamedLimit {
  readonly name: string;
  readonly meaning: string;
  readonly value: number;
}

/** The request limits and the concurrency that apply, with the names that change them. Constants are left out. */
export function describeLimits(settings: Pick<NumberSettings, "limits" | "concurrency">): NamedLimit[] {
  const describe = (group: SettingsGroup, values: Readonly<Record<string, number>>): NamedLimit[] =>
    Object.entries(group).flatMap(([key, entry]) => {
      const value = values[key];
      if (typeof entry === "number" || value === undefined) return [];
      return [{ name: "key" in entry ? `limits.${entry.key}` : entry.variable, meaning: entry.meaning, value }];
    });
  return [...describe(table.limits, settings.limits), ...describe(table.concurrency, settings.concurrency)];
}

function variable(name: string, setting: NumberSetting): NumberVariable {
  return { variable: name, ...setting };
}

function limit<const Key extends string>(key: Key, setting: NumberSetting): Limit<Key> {
  return { key, ...setting };
}
