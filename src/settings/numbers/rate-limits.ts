import type { NumberVariable } from "./number-variable.ts";

const perMinute = { minimum: 0, maximum: 1_000_000 } as const;

export const rateLimits = {
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
  originRequests: {
    name: "REHEARSAL_RATE_LIMIT_ORIGIN_REQUESTS",
    ...perMinute,
    default: 0,
    meaning: "Calls of evaluations to one origin per minute, all workers together; 0 = any number.",
  },
  originTokens: {
    name: "REHEARSAL_RATE_LIMIT_ORIGIN_TOKENS",
    minimum: 0,
    maximum: 1_000_000_000,
    default: 0,
    meaning: "Tokens of evaluations at one origin per minute, all workers together; 0 = any number.",
  },
} as const satisfies Record<string, NumberVariable>;
