import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { testShell } from "../../../test/support/test-shell.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import { Problem } from "../../contract/errors/problem.ts";
import { createLog } from "./log.ts";
import type { Readiness } from "./health.ts";
import { createRefusalLog, type PublicFiles } from "./shell.ts";

const files: PublicFiles = {
  has: ({ path }) => path.startsWith("/page/"),
  answer: async (context) => (context.req.path === "/page/none" ? null : context.html("<p>page</p>")),
};

function shellWithRoutes(lines: string[] = []) {
  const log = createLog({ level: "info", terminal: false, write: (line) => lines.push(line) });
  const app = testShell({ log, files });
  app.on("GET /things/{id}", (context) => context.json({ id: context.req.param("id") }));
  app.on("POST /things/{id}", (context) => context.text("made"));
  app.on("PUT /things/import", (context) => context.text("imported"));
  app.on("GET /limited", () => {
    throw new ServiceError("rate_limited", "Slow down.", { retryAfterMs: 1500 });
  });
  app.on("GET /away", () => {
    throw new ServiceError("storage_unavailable", "The database cannot be reached.");
  });
  app.on("GET /v1/limited", () => {
    throw new ServiceError("validation_failed", "/messages/0/content is required", {
      errors: [{ pointer: "/messages/0/content", code: "required", message: "is required" }],
    });
  });
  app.on("GET /broken", () => {
    throw new Error("password=hunter22 at /home/someone/file.ts");
  });
  app.on("GET /no-files", () => {
    throw Object.assign(new Error("EMFILE: too many open files, scandir '/srv/page'"), { code: "EMFILE" });
  });
  app.on("GET /broken-oddly", () => Promise.reject("a string"));
  return app;
}

test("sends an id, the version and the security headers with every response", async () => {
  const app = shellWithRoutes();
  for (const path of ["/healthz", "/things/1", "/nowhere", "/limited", "/broken", "/v1/nowhere"]) {
    const { headers } = await app.request(path);
    expect(headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
    expect(headers.get("rehearsal-version")).toBe("9.9.9");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
  }
});

test("keeps a well-formed request id and replaces any other", async () => {
  const app = shellWithRoutes();
  const idFor = async (id: string) =>
    (await app.request("/healthz", { headers: { "x-request-id": id } })).headers.get("x-request-id");
  expect(await idFor("job.42_a-b")).toBe("job.42_a-b");
  for (const id of ["a b", "a\tb", "<script>", "x".repeat(65)]) expect(await idFor(id)).not.toBe(id);
});

test("sends errors as problem documents of the contract", async () => {
  const response = await shellWithRoutes().request("/limited");
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "2"]);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const problem = Problem.parse(await response.json());
  expect(problem).toMatchObject({ code: "rate_limited", detail: "Slow down.", retryable: true });
  expect(problem.request_id).toBe(response.headers.get("x-request-id"));
});

test("sends Retry-After with every 503", async () => {
  const response = await shellWithRoutes().request("/away");
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
});

test.each(["/broken", "/broken-oddly"])(
  "reveals nothing of an unexpected error, and logs its cause: %s",
  async (path) => {
    const lines: string[] = [];
    const response = await shellWithRoutes(lines).request(path);
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(Problem.parse(JSON.parse(text)).code).toBe("internal_error");
    expect(text).not.toMatch(/hunter22|file\.ts|a string/);
    expect(lines.join("")).toContain("unexpected error");
    expect(lines.join("")).not.toContain("hunter22");
  },
);

test("sends errors under /v1/ in OpenAI's shape with the same status", async () => {
  const app = shellWithRoutes();
  const invalid = await app.request("/v1/limited");
  expect(invalid.status).toBe(422);
  expect(await invalid.json()).toEqual({
    error: {
      message: "/messages/0/content is required",
      type: "invalid_request_error",
      param: "messages[0].content",
      code: "validation_failed",
    },
  });
  const missing = await app.request("/v1/nowhere");
  expect([missing.status, ((await missing.json()) as { error: { code: string } }).error.code]).toEqual([
    404,
    "not_found",
  ]);
});

test("responds 404 to an unknown path, and 405 with Allow to another method", async () => {
  const app = shellWithRoutes();
  expect((await app.request("/nowhere")).status).toBe(404);
  expect((await app.request("/things")).status).toBe(404);
  const wrong = await app.request("/things/1", { method: "DELETE" });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, POST, HEAD, OPTIONS"]);
  expect(Problem.parse(await wrong.json()).code).toBe("method_not_allowed");
  expect((await app.request("/healthz", { method: "POST" })).headers.get("allow")).toBe("GET, HEAD, OPTIONS");
});

test("supports HEAD where GET works, lists methods for OPTIONS, and ignores files", async () => {
  const app = shellWithRoutes();
  const head = await app.request("/things/1", { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  const options = await app.request("/things/1", { method: "OPTIONS" });
  expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, POST, HEAD, OPTIONS"]);
  expect((await app.request("/page/x", { method: "POST" })).status).toBe(404);
  expect((await app.request("/page/none")).status).toBe(404);
  const fixed = await app.request("/things/import", { method: "OPTIONS" });
  expect(fixed.headers.get("allow")).toBe("PUT, OPTIONS");
});

test("serves HTML under the strict policy", async () => {
  const policy = (await shellWithRoutes().request("/page/x")).headers.get("content-security-policy");
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).not.toMatch(/unsafe|\*/);
});

test("refuses an address over 8 KiB", async () => {
  expect((await shellWithRoutes().request(`/healthz?q=${"x".repeat(9000)}`)).status).toBe(414);
});

test("reports a lack of file descriptors as overload", async () => {
  const response = await shellWithRoutes().request("/no-files");
  expect([response.status, response.headers.has("retry-after")]).toEqual([503, true]);
  const text = await response.text();
  expect(Problem.parse(JSON.parse(text))).toMatchObject({ code: "overloaded", retryable: true });
  expect(text).not.toContain("/srv");
});

describe("the log of refusals", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("logs the number of refusals once a second, and nothing without refusals", () => {
    const lines: string[] = [];
    const count = createRefusalLog(createLog({ level: "info", terminal: false, write: (line) => lines.push(line) }));
    const refusedSoFar = () => lines.map((line) => (JSON.parse(line) as { refused: number }).refused);
    for (let index = 0; index < 300; index += 1) count();
    vi.advanceTimersByTime(1000);
    expect(refusedSoFar()).toEqual([300]);
    vi.advanceTimersByTime(5000);
    count();
    vi.advanceTimersByTime(1000);
    expect(refusedSoFar()).toEqual([300, 1]);
  });
});

const ready = async (readiness: Readiness) => {
  const response = await testShell({ readiness }).request("/readyz");
  return { status: response.status, ...((await response.json()) as object) };
};

test("reports ok when it is ready", async () => {
  expect(await ready(async () => {})).toEqual({ status: "ok" });
});

test("names a component that does not work while it is ready", async () => {
  expect(await ready(async () => ({ detail: "The store is away." }))).toEqual({
    status: "ok",
    detail: "The store is away.",
  });
});

test("reports a shutdown, and a failed store without its cause", async () => {
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

test("counts a check that never settles as not ready, while health is ok", async () => {
  const app = testShell({ readiness: () => new Promise(() => {}), readinessTimeoutMs: 1 });
  const answer = await app.request("/readyz");
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: "storage_unavailable" }]);
  expect((await app.request("/healthz")).status).toBe(200);
});
