import { Hono } from "hono";
import { ServiceError } from "../../contract/errors.ts";
import type { Health } from "../../contract/schemas/service-info.ts";
import { inTime } from "../../base/deadline.ts";
import type { ShellEnvironment } from "./shell-environment.ts";

/** Resolves when the service takes requests; rejects, best with a `ServiceError`, when it does not. */
export type Readiness = () => Promise<void>;

const ok: Health = { status: "ok" };

/** `/healthz`: the process lives. `/readyz`: it takes requests; a check that does not answer in time counts as no. */
export function healthRoutes({
  readiness,
  timeoutMs = 5000,
}: {
  readiness: Readiness;
  timeoutMs?: number;
}): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>()
    .get("/healthz", (context) => context.json(ok))
    .get("/readyz", async (context) => {
      await checkReadiness(readiness, timeoutMs);
      return context.json(ok);
    });
}

async function checkReadiness(readiness: Readiness, timeoutMs: number): Promise<void> {
  try {
    if ((await inTime(readiness(), timeoutMs)) === null) throw new Error(`No answer within ${timeoutMs} ms`);
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError("storage_unavailable", "A part this service needs does not answer.", { cause });
  }
}
