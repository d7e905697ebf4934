import { Agent, Pool } from "undici";
import { pause } from "../../base/deadline.ts";
import { ServiceError, type ErrorCode } from "../../contract/errors/errors.ts";
import type { PolicyName } from "../../contract/schemas/shared/endpoint-policy.ts";
import { createCredentialHeaders } from "./credentials.ts";
import { Breakers, type CircuitBreaker, type CallOutcome, type Permit } from "./circuit-breaker.ts";
import { createConnector, systemResolve, type ConnectorOptions } from "./connector.ts";
import {
  checkEndpointPolicy,
  parseEndpoint,
  portOf,
  type EndpointCheck,
  type EndpointPolicy,
} from "./endpoint-policy.ts";
import { toReplyError, type Failure } from "./failure.ts";
import {
  type Timeouts,
  defaultBreaker,
  defaultMaxEventBytes,
  defaultMaxReplyBytes,
  defaultRetry,
  defaultRetryBudget,
  defaultTimeouts,
  outboundClock,
  type OutboundOptions,
} from "./outbound-options.ts";
import type {
  Outbound,
  OutboundBody,
  OutboundFailure,
  OutboundRequest,
  OutboundResult,
  OutboundSocketRequest,
} from "./outbound.ts";
import {
  asksForFewerCalls,
  isOverload,
  isPrescribedWait,
  RetryBudget,
  retryDelay,
  type RetryBudgetOptions,
} from "./retries.ts";
import { sendOnce, type TryResult } from "./send-once.ts";

/** The interval at which waiting calls check whether the probe of another call has succeeded. */
const probeMs = 250;

interface OutboundCall {
  readonly request: OutboundRequest;
  readonly url: URL;
  readonly policy: EndpointPolicy;
  readonly budget: RetryBudget;
  readonly breaker: CircuitBreaker;
  readonly deadline: number;
}

/**
 * Creates the outbound client. One request passes, in this order: endpoint policy, circuit breaker, credential, connection
 * with its guarded address, time limits and byte cap, explanation of failures, retry with its budget.
 * `await using outbound = createOutbound({ credentials })` also closes it.
 */
export function createOutbound(options: OutboundOptions = {}): Outbound {
  const { clock = outboundClock, random = Math.random, sleep = pause } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const retry = { ...defaultRetry, ...options.retry };
  const maxReplyBytes = options.maxReplyBytes ?? defaultMaxReplyBytes;
  const credentialHeaders = createCredentialHeaders(options.credentials ?? []);
  const policiesOf = createPolicies(options);
  const breakers = new Breakers({ ...defaultBreaker, ...options.breaker });
  const budgets = new RetryBudgets({ ...defaultRetryBudget, ...options.retryBudget });
  const stopping = new AbortController();
  const pools = new Pools({
    resolve: options.resolve ?? systemResolve,
    connectTimeoutMs: timeouts.connectMs,
  });

  function request(request: OutboundRequest & { acceptStream?: false }): Promise<OutboundBody | OutboundFailure>;
  function request(request: OutboundRequest): Promise<OutboundResult>;
  async function request(request: OutboundRequest): Promise<OutboundResult> {
    request.signal.throwIfAborted();
    const policies = policiesOf(request);
    const endpoint = checkAll(request.url, policies);
    if (!endpoint.ok) return failed(refusedCall(endpoint), 0);
    const call = startCall(request, endpoint.url, connectionPolicy(policies));
    for (let tries = 1; ; tries += 1) {
      const permit = await permitFor(call);
      if (permit === null) return failed(circuitOpen(call.breaker, clock.monotonic()), tries - 1);
      const startedAt = performance.now();
      const result = await attempt(call, permit, tries);
      if (result.kind !== "failed") {
        call.breaker.served(clock.monotonic());
        return { ok: true, tries, startedAt, ...result };
      }
      if (isOverload(result.failure)) request.onRefused?.(result.failure.retryAfterMs);
      const patience = patienceOf(request);
      if (result.failure.again !== "no") patience.throwIfAborted();
      const delay = delayBeforeNext(call, result.failure, tries);
      if (delay === null) return failed(result.failure, tries, result.redirect_to);
      await sleep(delay, patience);
    }
  }

  async function connect({ url, headers = {}, signal, ...policy }: OutboundSocketRequest) {
    const policies = policiesOf(policy);
    const endpoint = checkAll(url.replace(/^ws/i, "http"), policies);
    if (!endpoint.ok) return failed(refusedCall(endpoint), 0);
    const address = new URL(endpoint.url);
    address.protocol = endpoint.url.protocol.replace("http", "ws");
    const { openSocket } = await import("./socket.ts");
    const opened = await openSocket({
      url: address,
      dispatcher: pools.for(connectionPolicy(policies)),
      headers,
      openMs: timeouts.connectMs + timeouts.firstByteMs,
      maxBytes: maxReplyBytes,
      signal,
    });
    return "code" in opened ? failed(opened, 1) : opened;
  }

  function startCall(request: OutboundRequest, url: URL, policy: EndpointPolicy): OutboundCall {
    const now = clock.monotonic();
    const budget = budgets.get(url.origin);
    budget.countCall(now);
    const breaker = breakers.get(url.origin, request.breakerKey ?? "", now);
    return { request, url, policy, budget, breaker, deadline: now + timeoutsOf(request).totalMs };
  }

  function timeoutsOf({ patienceMs }: OutboundRequest): Timeouts {
    if (patienceMs === undefined) return timeouts;
    const { connectMs, firstByteMs, idleMs, totalMs } = timeouts;
    return {
      connectMs,
      firstByteMs: Math.max(firstByteMs, patienceMs),
      idleMs: Math.max(idleMs, patienceMs),
      totalMs: Math.max(totalMs, patienceMs),
    };
  }

  /** Null when the breaker is open. Calls that may wait do so while the upstream was up recently: it may be restarting. */
  async function permitFor({ request, breaker, deadline }: OutboundCall): Promise<Permit | null> {
    for (;;) {
      const now = clock.monotonic();
      const permit = breaker.admit(now);
      if (permit !== null) return permit;
      const wait = Math.max(breaker.retryAfterMs(now), probeMs);
      if (!canWait({ request, breaker }, now) || now + wait >= deadline) return null;
      await sleep(wait, patienceOf(request));
    }
  }

  /** When this process shuts down, waiting calls are rejected at once, even if the upstream is down or rate-limited. */
  function patienceOf({ signal, onRefused }: OutboundRequest): AbortSignal {
    return onRefused ? AbortSignal.any([signal, stopping.signal]) : signal;
  }

  /** One permitted try. Its outcome is recorded at the breaker exactly once. */
  async function attempt(call: OutboundCall, permit: Permit, number: number): Promise<TryResult> {
    const { request, url, policy, breaker, deadline } = call;
    const record = (outcome: CallOutcome) => breaker.record(permit, outcome, clock.monotonic());
    try {
      const result = await sendOnce({
        url,
        request,
        number,
        agent: pools.for(policy),
        credentialHeaders,
        keyVariable: options.keyVariable,
        timeouts: timeoutsOf(request),
        remainingMs: deadline - clock.monotonic(),
        maxReplyBytes,
        clock,
        onStreamEnd: (end) => record(end === "aborted" ? "unknown" : callOutcome(end)),
      });
      // A stream reports its outcome when it ends.
      if (result.kind !== "stream") record(callOutcome(result.kind === "failed" ? result.failure : null));
      return result;
    } catch (error) {
      record("unknown");
      throw error;
    }
  }

  function delayBeforeNext(
    { request, breaker, budget, deadline }: OutboundCall,
    failure: Failure,
    tries: number,
  ): number | null {
    const now = clock.monotonic();
    const { retries = retry.maximum, longestWaitMs = Number.POSITIVE_INFINITY } = request;
    const waits = canWait({ request, breaker }, now);
    // A caller with `onRefused` slows down when the upstream is overloaded, so its retries are not limited.
    const isHeeded = waits && asksForFewerCalls(failure);
    const maximum = isHeeded && retries > 0 ? Number.POSITIVE_INFINITY : retries;
    const settings = { ...retry, maximum, retryAfterMaxMs: Math.min(retry.retryAfterMaxMs, longestWaitMs) };
    const delay = retryDelay({ failure, tries, idempotent: request.idempotent ?? true, random, retry: settings });
    if (delay === null || now + delay >= deadline) return null;
    if (breaker.state(now + delay) === "open" && !waits) return null;
    return isPrescribedWait(failure) || isHeeded || budget.take(now) ? delay : null;
  }

  const stopWaiting = () => stopping.abort(new ServiceError("shutting_down", "The service is stopping."));
  const close = () => pools.close();
  return {
    maxEventBytes: options.maxEventBytes ?? defaultMaxEventBytes,
    request,
    connect,
    checkEndpoint: (text, policies = {}) => checkAll(text, policiesOf(policies)),
    breakers: () => breakers.report(clock.monotonic()),
    stopWaiting,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Callers with `onRefused` share an upstream; they wait while it answers any of them. */
function canWait({ request, breaker }: Pick<OutboundCall, "request" | "breaker">, now: number): boolean {
  return request.onRefused !== undefined && breaker.isServing(now);
}

/** One policy, or two that must both allow an address: that of the client or caller, and that of the run. */
type Policies = readonly [EndpointPolicy, ...EndpointPolicy[]];

function createPolicies(
  options: OutboundOptions,
): (request: Pick<OutboundRequest, "policy" | "runPolicy">) => Policies {
  const { credentials = [], allow = [], policy: standard = "local" } = options;
  const { isOwnAddress = () => false, isOpenedHere = () => false } = options;
  const allowedOrigins = new Set([...credentials.map(({ origin }) => origin), ...allow.map(callOrigin)]);
  const common = { allowedOrigins, isOwnAddress, isOpenedHere };
  const policies = {
    local: { name: "local", ...common },
    allowlist: { name: "allowlist", ...common },
    public: { name: "public", ...common },
  } as const;
  return ({ policy = standard, runPolicy }) => {
    if (!runPolicy) return [policies[policy]];
    const { name, allow: accepted } = runPolicy;
    const either = { has: (origin: string) => accepted.includes(origin) || allowedOrigins.has(origin) };
    return [policies[policy], { ...policies[name], allowedOrigins: either }];
  };
}

function checkAll(text: string, [first, ...others]: Policies): EndpointCheck {
  const checked = checkEndpointPolicy(text, first);
  return others.reduce((check, policy) => (check.ok ? checkEndpointPolicy(text, policy) : check), checked);
}

/** The policy that is checked while connecting: allowlists hold origins, so only `public` restricts addresses. */
function connectionPolicy(policies: Policies): EndpointPolicy {
  return policies.find(({ name }) => name === "public") ?? policies[0];
}

function callOrigin(text: string): string {
  const parsed = parseEndpoint(text);
  if (!parsed.ok) throw new Error(`"${text}" in the list of allowed endpoints is not an origin. ${parsed.detail}`);
  return parsed.url.origin;
}

function failed(failure: Failure, tries: number, redirectTo: string | null = null): OutboundFailure {
  return { ok: false, error: toReplyError(failure, tries), redirect_to: redirectTo };
}

/** A refused address is the request's fault before a run starts, and the endpoint's once it is called. */
function refusedCall(check: Extract<EndpointCheck, { ok: false }>): Failure {
  const isAddress = check.code === "endpoint_not_allowed" && check.reason === "address";
  return { code: isAddress ? "endpoint_address_refused" : check.code, detail: check.detail, again: "no" };
}

function circuitOpen(breaker: CircuitBreaker, now: number): Failure {
  return {
    code: "upstream_circuit_open",
    detail: "The upstream failed too often just now, so it was not called.",
    again: "no",
    retryAfterMs: Math.ceil(breaker.retryAfterMs(now)),
  };
}

const outageCodes: ReadonlySet<ErrorCode> = new Set([
  "upstream_unreachable",
  "upstream_dns",
  "upstream_tls",
  "upstream_error",
  "upstream_reset",
  "upstream_timeout",
]);
const neverCalled: ReadonlySet<ErrorCode> = new Set(["endpoint_address_refused", "shutting_down"]);

/** An upstream that refuses, limits or answers nonsense is up; only signs of being down count as failures. */
function callOutcome(failure: Failure | null): CallOutcome {
  if (failure === null) return "success";
  if (neverCalled.has(failure.code)) return "unknown";
  return outageCodes.has(failure.code) ? "failure" : "success";
}

const maximumOrigins = 1000;

/** One retry budget per origin. Beyond the maximum, the oldest is dropped. */
class RetryBudgets {
  readonly #options: RetryBudgetOptions;
  readonly #budgets = new Map<string, RetryBudget>();

  constructor(options: RetryBudgetOptions) {
    this.#options = options;
  }

  get(origin: string): RetryBudget {
    const known = this.#budgets.get(origin);
    if (known) return known;
    const [oldest] = this.#budgets.size >= maximumOrigins ? this.#budgets.keys() : [];
    if (oldest !== undefined) this.#budgets.delete(oldest);
    const budget = new RetryBudget(this.#options);
    this.#budgets.set(origin, budget);
    return budget;
  }
}

/** Connection pools, one set per policy: a socket opened under a permissive policy is never used under a stricter one. */
export class Pools {
  readonly #options: Omit<ConnectorOptions, "policy" | "port">;
  readonly #idleMs: number;
  readonly #agents = new Map<PolicyName, Agent>();

  /** `idleMs`: the longest keep-alive that a server may ask for. */
  constructor({ idleMs = 60_000, ...options }: Omit<ConnectorOptions, "policy" | "port"> & { idleMs?: number }) {
    this.#options = options;
    this.#idleMs = idleMs;
  }

  /** An explicit agent also means that proxies named in the environment are ignored. */
  for(policy: EndpointPolicy): Agent {
    const known = this.#agents.get(policy.name);
    if (known) return known;
    const agent = new Agent({
      // Our own timers apply; undici's would end a call to a slow local model after five minutes.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Routers forget connections that are idle for some minutes; a request on one is never answered.
      keepAliveMaxTimeout: this.#idleMs,
      allowH2: false,
      factory: (origin, options) => {
        const connect = createConnector({ ...this.#options, policy, port: portOf(new URL(origin)) });
        return new Pool(origin, { ...options, connect });
      },
    });
    this.#agents.set(policy.name, agent);
    return agent;
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#agents.values(), (agent) => agent.destroy()));
  }
}
