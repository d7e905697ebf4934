import { inspect } from "node:util";
import { expect, test } from "vitest";
import { readSettings } from "./settings.ts";
import { SettingsError } from "./settings/settings-error.ts";
import { variables } from "./settings/variables.ts";

const hash = "a".repeat(64);

function refusal(environment: Record<string, string>): string {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return "started";
}

test("reads a local, keyless demo with the documented limits from an empty environment", () => {
  const { settings, warnings } = readSettings({ PATH: "/bin" });
  expect(warnings).toEqual([]);
  expect(settings.server).toMatchObject({ host: "127.0.0.1", agentPort: 8000, evalPort: 8001, apiKeys: [] });
  expect(settings).toMatchObject({ demo: true, dataDir: "./.rehearsal", databaseUrl: null, hub: null, studio: null });
  expect(settings.endpointPolicy).toEqual({ mode: "local", allow: [] });
  expect(settings.limits).toMatchObject({ evaluationBodyBytes: 8_388_608, agentBodyBytes: 4_194_304, attempts: 100 });
  expect(settings.concurrency).toEqual({ global: 64, perOrigin: 16, perRun: 8 });
});

test.each([
  [{ REHEARSAL_HOST: "0.0.0.0" }, /^REHEARSAL_HOST is "0\.0\.0\.0".*REHEARSAL_API_KEYS/],
  [{ REHEARSAL_HOST: "::" }, /^REHEARSAL_HOST/],
  [{ REHEARSAL_HOST: "http://x/" }, /^REHEARSAL_HOST/],
  [
    { REHEARSAL_ALLOWED_HOSTS: "localhost,eval.example.com" },
    /^REHEARSAL_ALLOWED_HOSTS is "eval\.example\.com", which others can reach, and no API keys are set: create one/,
  ],
  [{ REHEARSAL_ALLOWED_HOSTS: "*" }, /^REHEARSAL_ALLOWED_HOSTS/],
  [
    { REHEARSAL_EVAL_PUBLIC_URL: "https://eval.example.com" },
    /^REHEARSAL_EVAL_PUBLIC_URL is "https:\/\/eval\.example\.com", which others can reach/,
  ],
  [{ REHEARSAL_HOST: "0.0.0.0", REHEARSAL_ALLOW_UNAUTHENTICATED: "true" }, /yes-i-understand/],
  [{ EVAL_ENDPOINT_API_KEY: "key" }, /^EVAL_ENDPOINT_API_KEY is set without EVAL_ENDPOINT_ORIGIN/],
  [{ EVAL_ENDPOINT_ORIGIN: "models.example" }, /^EVAL_ENDPOINT_ORIGIN is "models.example": use an absolute http/],
  [{ HUB_API_KEY: "key" }, /^HUB_API_KEY is set without HUB_BASE_URL/],
  [{ JUDGE_API_KEY: "key" }, /^JUDGE_API_KEY is set without JUDGE_ENDPOINT/],
  [{ JUDGE_ENDPOINT: "http://judge" }, /^JUDGE_ENDPOINT is set without JUDGE_MODEL/],
  [{ REHEARSAL_WEBHOOK_URLS: "https://hook.test/" }, /^REHEARSAL_WEBHOOK_SECRET must be whsec_/],
  [
    { REHEARSAL_WEBHOOK_URLS: "https://hook.test/", REHEARSAL_WEBHOOK_SECRET: "whsec_c2hvcnQ=" },
    /^REHEARSAL_WEBHOOK_SECRET must be whsec_ followed by at least 24 bytes/,
  ],
  [{ REHEARSAL_AGENT_PORT: "80000" }, /^REHEARSAL_AGENT_PORT is "80000": use a whole number from 0 to 65535$/],
  [{ REHEARSAL_AGENT_PORT: "0x50" }, /^REHEARSAL_AGENT_PORT/],
  [{ REHEARSAL_AGENT_PORT: "8001" }, /^REHEARSAL_EVAL_PORT is 8001, the same/],
  [{ REHEARSAL_MAX_BODY_BYTES: "1e9" }, /^REHEARSAL_MAX_BODY_BYTES is "1e9"/],
  [{ DATABASE_URL: "sqlite://" }, /^DATABASE_URL names no file: use sqlite:<file>$/],
  [{ REHEARSAL_CORS_ORIGINS: "*" }, /^REHEARSAL_CORS_ORIGINS holds "\*"/],
  [{ REHEARSAL_EVAL_PUBLIC_URL: "eval.example.com" }, /^REHEARSAL_EVAL_PUBLIC_URL/],
  [{ REHEARSAL_EVAL_PUBLIC_URL: "https://a.example/eval" }, /use the origin alone, https:\/\/a\.example$/],
  [{ REHEARSAL_ALLOWED_HOSTS: "https://a.example" }, /^REHEARSAL_ALLOWED_HOSTS/],
  [{ REHEARSAL_API_KEYS: "ci:short:agent" }, /^REHEARSAL_API_KEYS entry 1 holds no SHA-256/],
  [{ REHEARSAL_API_KEYS: `ci:${hash}:agents` }, /scope "agents"/],
  [{ REHEARSAL_API_KEYS: `ci:${hash}:agent,ci:${hash}:agent` }, /twice/],
  [{ REHEARSAL_API_KEYS: `Anonymous:${hash}:agent` }, /named Anonymous, which is reserved for callers without a key/],
  [{ EVAL_CREDENTIALS: "https://a.example" }, /^EVAL_CREDENTIALS holds/],
  [{ EVAL_CREDENTIALS: "https://a.example=MISSING" }, /refers to MISSING/],
  [{ EVAL_ENDPOINT_ALLOW: "https://a.example,https://*.example" }, /"https:\/\/\*\.example": there are no wildcards/],
  [{ EVAL_CREDENTIALS: "https://*.openai.azure.com=KEY", KEY: "k" }, /there are no wildcards, write out each host$/],
  [{ EVAL_CREDENTIALS: "https://a.example/v1?x=KEY", KEY: "k" }, /leave out the query$/],
  [{ EVAL_ENDPOINT_ALLOW: "https://a.example/v1" }, /use the origin alone, https:\/\/a\.example$/],
  [{ EVAL_CREDENTIALS: "https://a.example=KEY:host", KEY: "k" }, /header "host"/],
  [{ EVAL_CREDENTIALS: "https://a.example=KEY,https://a.example:443=KEY", KEY: "k" }, /twice/],
  [{ EVAL_CREDENTIALS: "https://a.example/v1=KEY,https://a.example/v1/=KEY", KEY: "k" }, /twice/],
  [{ EVAL_CREDENTIALS: "https://a.example=KEY", KEY: "k\nl" }, /^KEY holds characters that no header can carry/],
  [{ OPENAI_API_KEY: "sk-…" }, /^OPENAI_API_KEY holds characters that no header can carry, such as … or a line break/],
  [{ HUB_BASE_URL: "http://hub", HUB_API_KEY: "ключ" }, /^HUB_API_KEY holds characters/],
  [{ JUDGE_ENDPOINT: "http://a", JUDGE_MODEL: "b", JUDGE_API_KEY: "“k”" }, /^JUDGE_API_KEY holds characters/],
  [{ EVAL_ENDPOINT_POLICY: "open" }, /local, allowlist, public/],
  [{ REHEARSAL_DEMO: "maybe" }, /on, off/],
  [{ LOG_LEVEL: "loud" }, /^LOG_LEVEL is "loud"/],
  [{ HUB_BASE_URL: "ftp://hub" }, /^HUB_BASE_URL is "ftp:\/\/hub"/],
  [{ OPENAI_API_KEY: "a", OPENAI_API_KEY_FILE: "/b" }, /^OPENAI_API_KEY_FILE is set beside/],
  [{ HUB_API_KEY_FILE: "/no/such/file", HUB_BASE_URL: "http://hub" }, /^HUB_API_KEY_FILE is "\/no\/such\/file"/],
])("refuses %j with one line that names the variable", (environment, line) => {
  const message = refusal(environment as Record<string, string>);
  expect(message).toMatch(line);
  expect(message).not.toContain("\n");
});

test("prints no password of a wrong value", () => {
  expect(refusal({ OPENAI_API_KEY: "hunter2…" })).not.toMatch(/hunter2|started/);
  expect(refusal({ DATABASE_URL: "mysql://user:hunter2@db/x" })).not.toMatch(/hunter2|started/);
  expect(refusal({ HUB_BASE_URL: "https://user:hunter2@hub" })).not.toMatch(/hunter2|started/);
  expect(refusal({ REHEARSAL_API_KEYS: "ci:hunter2hunter2:agent" })).not.toMatch(/hunter2|started/);
  expect(refusal({ REHEARSAL_API_KEYS: "hunter2hunter2" })).not.toMatch(/hunter2/);
});

test.each([
  [{ HUB_BASE_URL: "https://hub/v1?key=hunter2" }, 'HUB_BASE_URL is "https://hub/v1?[redacted]": leave out the query'],
  [{ HUB_BASE_URL: "https://hub/v1#hunter2" }, 'HUB_BASE_URL is "https://hub/v1#[redacted]": leave out the fragment'],
  [
    { HUB_BASE_URL: "https://user:pass/hunter2@hub/v1" },
    'HUB_BASE_URL is "https://[redacted]@hub/v1": use an absolute http or https URL',
  ],
  [
    { STUDIO_BASE_URL: "sk-hunter2-hunter2-hunter2" },
    'STUDIO_BASE_URL is "[redacted]": use an absolute http or https URL',
  ],
  [
    { EVAL_ENDPOINT_ORIGIN: "https://hub?key=hunter2" },
    'EVAL_ENDPOINT_ORIGIN is "https://hub?[redacted]": leave out the query',
  ],
  [
    { REHEARSAL_HOST: "postgres://user:hunter2@db/x" },
    'REHEARSAL_HOST is "postgres://[redacted]@db/x": use an address or a name, like 127.0.0.1',
  ],
  [
    { OPENAI_API_KEY_FILE: "sk-hunter2-hunter2-hunter2" },
    'OPENAI_API_KEY_FILE is "[redacted]", which cannot be read: give a readable file',
  ],
  [
    { EVAL_CREDENTIALS: "https://hub=hf_hunter2hunter2hunter2" },
    "EVAL_CREDENTIALS refers to [redacted], which is not set",
  ],
])("refuses %j without repeating the key", (environment, line) => {
  expect(refusal(environment as Record<string, string>)).toBe(line);
});

test("accepts a public address with keys or consent, and warns about consent", () => {
  const guarded = readSettings({ REHEARSAL_HOST: "0.0.0.0", REHEARSAL_API_KEYS: `ci:${hash}:evaluate+runs:read` });
  expect([...(guarded.settings.server.apiKeys[0]?.scopes ?? [])]).toEqual(["evaluate", "runs:read"]);
  expect(guarded.settings.endpointPolicy.mode).toBe("allowlist");
  expect(guarded.warnings).toEqual([]);

  const open = readSettings({ REHEARSAL_HOST: "0.0.0.0", REHEARSAL_ALLOW_UNAUTHENTICATED: "yes-i-understand" });
  expect(open.warnings).toHaveLength(1);
  const named = { REHEARSAL_ALLOWED_HOSTS: "a.example", REHEARSAL_ALLOW_UNAUTHENTICATED: "yes-i-understand" };
  expect(readSettings(named).warnings).toEqual([expect.stringContaining("a.example")]);
});

const keys = { REHEARSAL_API_KEYS: `ci:${hash}:evaluate` };

test.each<[string, Record<string, string>]>([
  ["local", {}],
  ["local", keys],
  ["local", { REHEARSAL_ALLOWED_HOSTS: "localhost:9000,[::1],127.0.0.1,desk.localhost" }],
  ["local", { REHEARSAL_EVAL_PUBLIC_URL: "http://localhost:9001" }],
  ["local", { REHEARSAL_CORS_ORIGINS: "https://page.example.com" }],
  ["allowlist", { ...keys, REHEARSAL_HOST: "0.0.0.0" }],
  ["allowlist", { ...keys, REHEARSAL_ALLOWED_HOSTS: "eval.example.com" }],
  ["allowlist", { ...keys, REHEARSAL_ALLOWED_HOSTS: "*.example.com:8001" }],
  ["allowlist", { ...keys, REHEARSAL_ALLOWED_HOSTS: "*" }],
  ["allowlist", { ...keys, REHEARSAL_EVAL_PUBLIC_URL: "https://eval.example.com" }],
  ["allowlist", { REHEARSAL_ALLOWED_HOSTS: "a.example", REHEARSAL_ALLOW_UNAUTHENTICATED: "yes-i-understand" }],
  ["local", { ...keys, REHEARSAL_ALLOWED_HOSTS: "eval.example.com", EVAL_ENDPOINT_POLICY: "local" }],
  ["public", { ...keys, REHEARSAL_EVAL_PUBLIC_URL: "https://eval.example.com", EVAL_ENDPOINT_POLICY: "public" }],
  ["local", { ...keys, REHEARSAL_HOST: "0.0.0.0", EVAL_ENDPOINT_POLICY: "local" }],
])("the endpoint policy is %s with %j", (mode, environment) => {
  expect(readSettings(environment).settings.endpointPolicy.mode).toBe(mode);
});

test("a worker needs no keys and keeps the policy of the host names", () => {
  const environment = { REHEARSAL_ALLOWED_HOSTS: "eval.example.com" };
  const { settings, warnings } = readSettings(environment, { listens: false });
  expect([settings.endpointPolicy.mode, warnings]).toEqual(["allowlist", []]);
  expect(readSettings({ REHEARSAL_HOST: "0.0.0.0" }, { listens: false }).settings.endpointPolicy.mode).toBe(
    "allowlist",
  );
});

test("accepts a public address with stored keys, but not with an empty key file", () => {
  const exposed = { REHEARSAL_HOST: "0.0.0.0", REHEARSAL_DATA_DIR: "/data" };
  const withFile = (text: string) => () => readSettings(exposed, { readFile: () => text });
  expect(withFile('{"version":1,"keys":[{"id":"x"}]}')().settings.server.storedKeys).toBe(true);
  for (const text of ['{"version":1,"keys":[]}', "{", "null", '"keys"'])
    expect(withFile(text)).toThrow(/REHEARSAL_HOST/);
});

test("binds every credential to an address, explicit ones before well-known keys", () => {
  const { credentials } = readSettings({
    OPENAI_API_KEY: "sk-well-known",
    ANTHROPIC_API_KEY: "sk-ant",
    MINE: "mine",
    EVAL_CREDENTIALS: "https://api.openai.com=MINE, http://localhost:11434=MINE:x-key, http://localhost:11434/a/=MINE",
    EVAL_ENDPOINT_ORIGIN: "https://models.example/",
    EVAL_ENDPOINT_API_KEY: "pair",
  }).settings;
  const bound = credentials.map(({ origin, path, secret, header, scheme }) => [
    origin + path,
    secret.reveal(),
    header,
    scheme,
  ]);
  expect(bound).toEqual([
    ["https://api.openai.com/v1", "mine", "authorization", "Bearer"],
    ["http://localhost:11434/a", "mine", "authorization", "Bearer"],
    ["http://localhost:11434", "mine", "x-key", ""],
    ["https://models.example", "pair", "authorization", "Bearer"],
    ["https://api.anthropic.com/v1", "sk-ant", "x-api-key", ""],
  ]);
});

test("reads a secret from a file, and no printed form of the settings shows it", () => {
  const environment = { HUB_BASE_URL: "https://hub.example/v1/", HUB_API_KEY_FILE: "/run/secrets/hub" };
  const { settings } = readSettings(environment, { readFile: () => " canary-secret\n" });
  expect(settings.hub?.apiKey?.reveal()).toBe("canary-secret");
  expect(settings.hub?.baseUrl).toBe("https://hub.example/v1");
  expect(JSON.stringify(settings) + inspect(settings, { depth: 9 })).not.toContain("canary-secret");
});

test("turns the demo off for a real provider unless it is forced", () => {
  expect(readSettings({ HUB_BASE_URL: "http://hub" }).settings.demo).toBe(false);
  expect(readSettings({ STUDIO_MODELS_FILE: "models.json" }).settings.demo).toBe(false);
  expect(readSettings({ HUB_BASE_URL: "http://hub", REHEARSAL_DEMO: "on" }).settings.demo).toBe(true);
  expect(readSettings({ REHEARSAL_DEMO: "off" }).settings.demo).toBe(false);
});

test("raises the body limit of both services with one variable", () => {
  const { limits } = readSettings({ REHEARSAL_MAX_BODY_BYTES: "20000000" }).settings;
  expect([limits.evaluationBodyBytes, limits.agentBodyBytes]).toEqual([20_000_000, 20_000_000]);
});

test("warns about an unknown name with one of our prefixes, with the nearest name", () => {
  const { warnings } = readSettings({
    REHEARSAL_RETENTION_DAY: "5",
    HUB_SOMETHING_ELSE_ALTOGETHER: "1",
    MY_OWN: "1",
    EVAL_TEAM_KEY: "key",
    EVAL_CREDENTIALS: "https://a.example=EVAL_TEAM_KEY",
    HUB_API_KEY_FILE: "",
  });
  expect(warnings).toEqual([
    "HUB_SOMETHING_ELSE_ALTOGETHER is not a setting and is ignored",
    "REHEARSAL_RETENTION_DAY is not a setting and is ignored: did you mean REHEARSAL_RETENTION_DAYS?",
  ]);
});

test("accepts port 0 for both services", () => {
  const { server } = readSettings({ REHEARSAL_AGENT_PORT: "0", REHEARSAL_EVAL_PORT: "0" }).settings;
  expect([server.agentPort, server.evalPort]).toEqual([0, 0]);
});

test("lists each variable once, with a meaning", () => {
  const names = variables.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(variables.filter(({ meaning }) => meaning.length < 5)).toEqual([]);
  expect(variables.find(({ name }) => name === "REHEARSAL_MAX_BODY_BYTES")?.default).toBe("8388608 / 4194304");
});

test("leases outlast the watchdog unless others are configured, last ten seconds at least on PostgreSQL, and have heartbeats within them", () => {
  const runsOf = (lease_ms: number | undefined, DATABASE_URL?: string) => {
    const { leaseMs, heartbeatMs } = readSettings({ DATABASE_URL }, { limits: { lease_ms } }).settings.runs;
    return [leaseMs, heartbeatMs];
  };
  const postgres = "postgresql://db/x";
  expect([runsOf(undefined), runsOf(6_000), runsOf(6_000, "sqlite:x.db")]).toEqual([
    [25_000, 5_000],
    [6_000, 3_000],
    [6_000, 3_000],
  ]);
  expect([undefined, 6_000, 60_000, 10_001].map((lease) => runsOf(lease, postgres)[0])).toEqual([
    25_000, 10_000, 60_000, 11_000,
  ]);
});

test("reads limits from the configuration and defaults for the others", () => {
  const { settings } = readSettings({}, { limits: { max_attempts: 500, upstream_max_retries: 0 } });
  expect(settings.limits).toMatchObject({ attempts: 500, interactions: 1000 });
  expect(settings.upstream).toMatchObject({ retries: 0, retryBaseMs: 500 });
});

test("refuses variables that moved to the configuration, with the lines to write there", () => {
  expect(refusal({ REHEARSAL_MAX_ATTEMPTS: "500", REHEARSAL_AGENT_MAX_COST: " 0.5 ", REHEARSAL_LEASE_MS: "" })).toBe(
    "REHEARSAL_MAX_ATTEMPTS, REHEARSAL_AGENT_MAX_COST are no longer read from the environment: write limits: { max_attempts: 500, agent_max_cost: 0.5 } in rehearsal.yaml, and name that file with --config if it is in another folder",
  );
  expect(refusal({ REHEARSAL_QUEUE_MAX_RUNS: "sk-hunter2" })).toMatch(
    /^REHEARSAL_QUEUE_MAX_RUNS is no .*{ queue_max_runs: … }/,
  );
});

test("warns about variables that are constants now, with the value", () => {
  expect(readSettings({ REHEARSAL_BREAKER_OPEN_MS: "300" }).warnings).toEqual([
    "REHEARSAL_BREAKER_OPEN_MS is no longer a setting and is ignored: the value is always 15 s",
  ]);
});
