import { agent } from "./numbers/agent.ts";
import { breaker } from "./numbers/breaker.ts";
import { concurrency } from "./numbers/concurrency.ts";
import { http } from "./numbers/http.ts";
import { overload } from "./numbers/overload.ts";
import { rateLimits } from "./numbers/rate-limits.ts";
import { limits } from "./numbers/request-limits.ts";
import { runs } from "./numbers/runs.ts";
import { upstream } from "./numbers/upstream.ts";
import { userCode } from "./numbers/user-code.ts";

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
  userCode,
} as const;
