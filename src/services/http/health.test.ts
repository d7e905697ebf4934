import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors.ts";
import { healthRoutes, type Readiness } from "./health.ts";
import { testShell } from "../../../test/support/test-shell.ts";

const ready = async (readiness: Readiness) => {
  const response = await testShell({ readiness }).request("/readyz");
  return { status: response.status, ...((await response.json()) as object) };
};

test("a service that takes requests says ok", async () => {
  expect(await ready(async () => {})).toEqual({ status: "ok" });
});

test("one that stops says so, one whose store fails says no more than that", async () => {
  const stopping = async () => {
    throw new ServiceError("shutting_down", "The service is stopping.");
  };
  const failing = async () => {
    throw new Error("connect ECONNREFUSED 10.0.0.5");
  };
  expect(await ready(stopping)).toMatchObject({ status: 503, code: "shutting_down" });
  const answer = await ready(failing);
  expect(answer).toMatchObject({ status: 503, code: "storage_unavailable" });
  expect(JSON.stringify(answer)).not.toContain("10.0.0.5");
});

test("a check that never answers counts as not ready, while the process is alive", async () => {
  const routes = healthRoutes({ readiness: () => new Promise(() => {}), timeoutMs: 1 }).onError((error) => {
    return new Response((error as ServiceError).code, { status: 503 });
  });
  expect(await (await routes.request("/readyz")).text()).toBe("storage_unavailable");
  expect((await routes.request("/healthz")).status).toBe(200);
});
