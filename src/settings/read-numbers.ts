import type { Environment } from "./environment.ts";
import { numberVariables } from "./number-variables.ts";
import type { NumberVariable } from "./numbers/number-variable.ts";
import { quoted, SettingsError } from "./settings-error.ts";

type Numbers<Group> = { readonly [Key in keyof Group]: number };

/** The numeric settings by group: `numbers.limits.attempts`, `numbers.upstream.retries`, … */
export type NumberSettings = {
  readonly [Name in keyof typeof numberVariables]: Numbers<(typeof numberVariables)[Name]>;
};

export function readNumbers(environment: Environment, { postgres }: { postgres: boolean }): NumberSettings {
  const runs = readGroup(environment, numberVariables.runs);
  const numbers: NumberSettings = {
    limits: readGroup(environment, numberVariables.limits),
    concurrency: readGroup(environment, numberVariables.concurrency),
    http: readGroup(environment, numberVariables.http),
    overload: readGroup(environment, numberVariables.overload),
    rateLimits: readGroup(environment, numberVariables.rateLimits),
    upstream: readGroup(environment, numberVariables.upstream),
    breaker: readGroup(environment, numberVariables.breaker),
    agent: readGroup(environment, numberVariables.agent),
    userCode: readGroup(environment, numberVariables.userCode),
    runs: { ...runs, leaseMs: postgres ? postgresLease(environment) : runs.leaseMs },
  };
  checkOrder(numbers);
  return numbers;
}

function readGroup<Group extends Readonly<Record<string, NumberVariable>>>(
  environment: Environment,
  group: Group,
): Numbers<Group> {
  const entries = Object.entries(group).map(([key, variable]) => [key, readNumber(environment, variable)]);
  return Object.fromEntries(entries) as Numbers<Group>;
}

function readNumber(environment: Environment, variable: NumberVariable): number {
  const text = environment.text(variable.name);
  return text === null ? variable.default : parseNumber(text, variable);
}

/** Digits only: a number in another notation is more often a slip than a wish. */
export function parseNumber(text: string, variable: Omit<NumberVariable, "default" | "meaning">): number {
  const { name, minimum, maximum, fraction } = variable;
  const value = (fraction ? /^\d+(\.\d+)?$/ : /^\d+$/).test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw new SettingsError(
    name,
    `is ${quoted(text)}: use a ${fraction ? "number" : "whole number"} from ${minimum} to ${maximum}`,
  );
}

/** pg-boss counts whole seconds and takes no less than ten, which is what we use unless asked for more. */
const shortestPostgresLease = 10_000;

function postgresLease(environment: Environment): number {
  const { leaseMs } = numberVariables.runs;
  const asked = environment.text(leaseMs.name) === null ? 0 : readNumber(environment, leaseMs);
  return Math.max(shortestPostgresLease, Math.ceil(asked / 1_000) * 1_000);
}

function checkOrder({ http, runs }: NumberSettings): void {
  if (http.headersTimeoutMs > http.requestTimeoutMs) {
    throw new SettingsError(
      "REHEARSAL_HTTP_HEADERS_TIMEOUT_MS",
      `is ${http.headersTimeoutMs}: use at most REHEARSAL_HTTP_REQUEST_TIMEOUT_MS, which is ${http.requestTimeoutMs}`,
    );
  }
  if (runs.heartbeatMs >= runs.leaseMs) {
    throw new SettingsError(
      "REHEARSAL_HEARTBEAT_MS",
      `is ${runs.heartbeatMs}: use less than REHEARSAL_LEASE_MS, which is ${runs.leaseMs}`,
    );
  }
}
