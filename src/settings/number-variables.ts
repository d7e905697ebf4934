/** A limit the operator may move. */
export interface NumberVariable {
  readonly name: string;
  readonly default: number;
  readonly minimum: number;
  readonly maximum: number;
  /** Whole numbers unless this says otherwise. */
  readonly fraction?: true;
  readonly meaning: string;
}

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const second = 1000;
const hour = 3_600 * second;
/** The longest wait a Node timer can hold. */
const longestWait = 2_147_483_647;

const count = { minimum: 1, maximum: 10_000_000 } as const;
const bytes = { minimum: 1 * kibibyte, maximum: 1024 * mebibyte } as const;
const wait = { minimum: 1, maximum: longestWait } as const;
const share = { minimum: 0, maximum: 1, fraction: true } as const;

const limits = {
  evaluationBodyBytes: {
    name: "REHEARSAL_MAX_BODY_BYTES",
    ...bytes,
    default: 8 * mebibyte,
    meaning: "Largest request body of the evaluation service.",
  },
  agentBodyBytes: {
    name: "REHEARSAL_MAX_BODY_BYTES",
    ...bytes,
    default: 4 * mebibyte,
    meaning: "Largest request body of the agent backend.",
  },
  jsonDepth: {
    name: "REHEARSAL_MAX_JSON_DEPTH",
    minimum: 4,
    maximum: 500,
    default: 32,
    meaning: "Deepest nesting of a JSON body.",
  },
  objectKeys: {
    name: "REHEARSAL_MAX_OBJECT_KEYS",
    ...count,
    default: 1000,
    meaning: "Most keys of one JSON object.",
  },
  attempts: { name: "REHEARSAL_MAX_ATTEMPTS", ...count, default: 100, meaning: "Most attempts of one run." },
  interactions: {
    name: "REHEARSAL_MAX_INTERACTIONS",
    ...count,
    default: 1000,
    meaning: "Most interactions of one batch.",
  },
  callsPerRun: {
    name: "REHEARSAL_MAX_CALLS_PER_RUN",
    ...count,
    default: 10_000,
    meaning: "Most model calls of one run: attempts times interactions.",
  },
  metadataKeys: {
    name: "REHEARSAL_MAX_METADATA_KEYS",
    ...count,
    default: 64,
    meaning: "Most keys of one metadata object.",
  },
  metadataBytes: {
    name: "REHEARSAL_MAX_METADATA_BYTES",
    ...bytes,
    default: 16 * kibibyte,
    meaning: "Largest metadata object, as JSON.",
  },
  messages: { name: "REHEARSAL_MAX_MESSAGES", ...count, default: 500, meaning: "Most messages of one conversation." },
  modelIdChars: {
    name: "REHEARSAL_MAX_MODEL_ID_CHARS",
    minimum: 36,
    maximum: 2048,
    default: 200,
    meaning: "Longest x-model-id.",
  },
} as const satisfies Record<string, NumberVariable>;

const concurrency = {
  global: {
    name: "REHEARSAL_CONCURRENCY_GLOBAL",
    ...count,
    default: 64,
    meaning: "Model calls at once in one process.",
  },
  perOrigin: {
    name: "REHEARSAL_CONCURRENCY_PER_ORIGIN",
    ...count,
    default: 16,
    meaning: "Model calls at once to one origin.",
  },
  perRun: { name: "REHEARSAL_CONCURRENCY_PER_RUN", ...count, default: 8, meaning: "Attempts of one run at once." },
} as const satisfies Record<string, NumberVariable>;

const http = {
  headersTimeoutMs: {
    name: "REHEARSAL_HTTP_HEADERS_TIMEOUT_MS",
    ...wait,
    default: 10 * second,
    meaning: "Time a client has to send its headers.",
  },
  requestTimeoutMs: {
    name: "REHEARSAL_HTTP_REQUEST_TIMEOUT_MS",
    ...wait,
    default: 30 * second,
    meaning: "Time a client has to send its whole request.",
  },
  keepAliveMs: {
    name: "REHEARSAL_HTTP_KEEPALIVE_MS",
    ...wait,
    default: 5 * second,
    meaning: "How long an idle connection is kept.",
  },
  headerBytes: {
    name: "REHEARSAL_HTTP_MAX_HEADER_BYTES",
    ...bytes,
    default: 16 * kibibyte,
    meaning: "Request line and headers together.",
  },
  headers: { name: "REHEARSAL_HTTP_MAX_HEADERS", ...count, default: 100, meaning: "Most headers of a request." },
  connections: { name: "REHEARSAL_HTTP_MAX_CONNECTIONS", ...count, default: 2000, meaning: "Open connections." },
  shutdownGraceMs: {
    name: "REHEARSAL_SHUTDOWN_GRACE_MS",
    ...wait,
    minimum: 0,
    default: 30 * second,
    meaning: "How long a stopping service waits for running requests.",
  },
} as const satisfies Record<string, NumberVariable>;

const overload = {
  requests: {
    name: "REHEARSAL_HTTP_MAX_REQUESTS",
    ...count,
    default: 1000,
    meaning: "Requests one service answers at once; more get 503.",
  },
  lagMs: {
    name: "REHEARSAL_SHED_EVENT_LOOP_LAG_MS",
    ...wait,
    default: 250,
    meaning: "Lasting delay of the event loop from which new requests get 503.",
  },
  rssBytes: {
    name: "REHEARSAL_SHED_RSS_BYTES",
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    meaning: "Memory of the process from which new requests get 503; 0 = 85 % of what it may have.",
  },
} as const satisfies Record<string, NumberVariable>;

const perMinute = { minimum: 0, maximum: 1_000_000 } as const;

const rateLimits = {
  evaluate: {
    name: "REHEARSAL_RATE_LIMIT_EVALUATE",
    ...perMinute,
    default: 60,
    meaning: "Runs one API key may start per minute; 0 = any number.",
  },
  agent: {
    name: "REHEARSAL_RATE_LIMIT_AGENT",
    ...perMinute,
    default: 600,
    meaning: "Agent turns one API key may ask for per minute; 0 = any number.",
  },
} as const satisfies Record<string, NumberVariable>;

const upstream = {
  connectTimeoutMs: {
    name: "REHEARSAL_UPSTREAM_CONNECT_TIMEOUT_MS",
    ...wait,
    default: 5 * second,
    meaning: "Time to connect to a model endpoint.",
  },
  firstByteTimeoutMs: {
    name: "REHEARSAL_UPSTREAM_FIRST_BYTE_TIMEOUT_MS",
    ...wait,
    default: 120 * second,
    meaning: "Time until a model endpoint sends its first byte.",
  },
  idleTimeoutMs: {
    name: "REHEARSAL_UPSTREAM_IDLE_TIMEOUT_MS",
    ...wait,
    default: 60 * second,
    meaning: "Longest silence inside an answer.",
  },
  totalTimeoutMs: {
    name: "REHEARSAL_UPSTREAM_TOTAL_TIMEOUT_MS",
    ...wait,
    default: 300 * second,
    meaning: "Time for one whole model call.",
  },
  maxReplyBytes: {
    name: "REHEARSAL_UPSTREAM_MAX_REPLY_BYTES",
    ...bytes,
    default: 8 * mebibyte,
    meaning: "Largest answer, decoded.",
  },
  maxEventBytes: {
    name: "REHEARSAL_UPSTREAM_MAX_SSE_LINE_BYTES",
    ...bytes,
    default: 1 * mebibyte,
    meaning: "Longest line of a streamed answer.",
  },
  retries: {
    name: "REHEARSAL_UPSTREAM_MAX_RETRIES",
    minimum: 0,
    maximum: 20,
    default: 3,
    meaning: "Further tries after the first.",
  },
  retryBaseMs: {
    name: "REHEARSAL_UPSTREAM_RETRY_BASE_MS",
    ...wait,
    default: 500,
    meaning: "First back-off, doubled each time, with full jitter.",
  },
  retryCapMs: {
    name: "REHEARSAL_UPSTREAM_RETRY_CAP_MS",
    ...wait,
    default: 20 * second,
    meaning: "Longest back-off.",
  },
  retryAfterMaxMs: {
    name: "REHEARSAL_UPSTREAM_RETRY_AFTER_MAX_MS",
    ...wait,
    default: 60 * second,
    meaning: "Longest Retry-After that is waited for.",
  },
  retryBudget: {
    name: "REHEARSAL_UPSTREAM_RETRY_BUDGET",
    ...share,
    default: 0.2,
    meaning: "Retries as a share of the calls to one origin.",
  },
} as const satisfies Record<string, NumberVariable>;

const breaker = {
  windowMs: {
    name: "REHEARSAL_BREAKER_WINDOW_MS",
    ...wait,
    default: 30 * second,
    meaning: "Time over which failures are counted.",
  },
  minimumCalls: {
    name: "REHEARSAL_BREAKER_MIN_CALLS",
    ...count,
    default: 20,
    meaning: "Calls needed before the breaker may open.",
  },
  failureRatio: {
    name: "REHEARSAL_BREAKER_FAILURE_RATIO",
    ...share,
    default: 0.5,
    meaning: "Share of failures that opens the breaker.",
  },
  openMs: { name: "REHEARSAL_BREAKER_OPEN_MS", ...wait, default: 15 * second, meaning: "How long it stays open." },
} as const satisfies Record<string, NumberVariable>;

const agent = {
  maxSteps: { name: "REHEARSAL_AGENT_MAX_STEPS", ...count, default: 25, meaning: "Model calls of one agent run." },
  toolCallsPerStep: {
    name: "REHEARSAL_AGENT_MAX_TOOL_CALLS_PER_STEP",
    ...count,
    default: 8,
    meaning: "Tool calls that one model answer may ask for.",
  },
  toolCalls: {
    name: "REHEARSAL_AGENT_MAX_TOOL_CALLS",
    ...count,
    default: 100,
    meaning: "Tool calls of one agent run.",
  },
  parallel: {
    name: "REHEARSAL_AGENT_PARALLEL_TOOLS",
    ...count,
    default: 4,
    meaning: "Tools of one agent run that run at the same time.",
  },
  maxTokens: {
    name: "REHEARSAL_AGENT_MAX_TOKENS",
    minimum: 0,
    maximum: 1_000_000_000,
    default: 0,
    meaning: "Tokens of one agent run; 0 sets no limit.",
  },
  maxCost: {
    name: "REHEARSAL_AGENT_MAX_COST",
    minimum: 0,
    maximum: 1_000_000,
    fraction: true,
    default: 0,
    meaning: "US dollars of one agent run, by the price table; 0 sets no limit.",
  },
  retentionDays: {
    name: "REHEARSAL_AGENT_RETENTION_DAYS",
    minimum: 0,
    maximum: 36_500,
    default: 30,
    meaning: "Days that agent runs are kept, and threads after their last turn; 0 keeps them for good.",
  },
  toolTimeoutMs: {
    name: "REHEARSAL_AGENT_TOOL_TIMEOUT_MS",
    ...wait,
    default: 30 * second,
    meaning: "Time for one tool call.",
  },
  deadlineMs: {
    name: "REHEARSAL_AGENT_DEADLINE_MS",
    ...wait,
    default: 300 * second,
    meaning: "Time for one whole agent run.",
  },
  toolResultBytes: {
    name: "REHEARSAL_AGENT_MAX_TOOL_RESULT_BYTES",
    ...bytes,
    default: 64 * kibibyte,
    meaning: "Tool results are cut at this size.",
  },
  fetchBytes: {
    name: "REHEARSAL_AGENT_FETCH_MAX_BYTES",
    ...bytes,
    default: 2 * mebibyte,
    meaning: "Largest page the web_fetch tool reads.",
  },
} as const satisfies Record<string, NumberVariable>;

const runs = {
  retentionDays: {
    name: "REHEARSAL_RETENTION_DAYS",
    minimum: 0,
    maximum: 36_500,
    default: 0,
    meaning: "Days after their end that runs are kept; 0 keeps them for good.",
  },
  backupEveryHours: {
    name: "REHEARSAL_BACKUP_EVERY_HOURS",
    ...count,
    default: 24,
    meaning: "Hours between two backups of the embedded store.",
  },
  backupKeep: { name: "REHEARSAL_BACKUP_KEEP", ...count, default: 7, meaning: "Backups that are kept." },
  deadlineMs: { name: "REHEARSAL_RUN_DEADLINE_MS", ...wait, default: hour, meaning: "Time for one whole run." },
  queueLength: {
    name: "REHEARSAL_QUEUE_MAX_RUNS",
    ...count,
    default: 1000,
    meaning: "Unfinished runs before new ones are refused.",
  },
  leaseMs: {
    name: "REHEARSAL_LEASE_MS",
    ...wait,
    minimum: second,
    default: 15 * second,
    meaning: "How long a silent worker keeps an attempt.",
  },
  heartbeatMs: {
    name: "REHEARSAL_HEARTBEAT_MS",
    ...wait,
    default: 5 * second,
    meaning: "How often a worker renews its leases.",
  },
  idempotencyHours: {
    name: "REHEARSAL_IDEMPOTENCY_TTL_HOURS",
    ...count,
    default: 24,
    meaning: "How long an Idempotency-Key is remembered.",
  },
} as const satisfies Record<string, NumberVariable>;

/** Every numeric setting, by the group of `Settings` it belongs to. */
export const numberVariables = {
  limits,
  concurrency,
  http,
  overload,
  rateLimits,
  upstream,
  breaker,
  agent,
  runs,
} as const;
