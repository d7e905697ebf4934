import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { expect, test } from "vitest";
import { agentOperations } from "../../src/contract/operations/agent.ts";
import { analysisOperations } from "../../src/contract/operations/analysis.ts";
import { evaluationOperations } from "../../src/contract/operations/evaluation.ts";
import { libraryOperations } from "../../src/contract/operations/library.ts";
import { scopes, type Operation, type Scope } from "../../src/contract/operations/operation.ts";
import type { DemoEndpoint } from "../../src/models/demo/demo-endpoint.ts";
import { createEvaluationApp } from "../../src/services/evaluation/app.ts";
import type { EvaluationDependencies } from "../../src/services/evaluation/dependencies.ts";
import type { ShellEnvironment } from "../../src/services/http/shell-environment.ts";
import { createLog } from "../../src/services/http/log.ts";
import { runAgentApp } from "./agent-support.ts";

const keyOf = (scope: Scope) => `key-${scope}`;
const apiKeys = scopes.map((scope) => ({
  name: scope.replace(":", "-"),
  sha256: createHash("sha256").update(keyOf(scope)).digest("hex"),
  scopes: new Set([scope]),
}));

/** Routes that need no key, or only serve files of the page. */
const isPublic = (path: string) => /^\/(?:\*|healthz|readyz|openapi\.json|docs.*|page\/config)?$/.test(path);

/** For each operation, the scopes that its declaration admits. */
function declaredScopes(operations: readonly Pick<Operation, "method" | "path" | "scope">[]) {
  const guarded = operations.filter(({ scope }) => scope !== undefined);
  return Object.fromEntries(
    guarded.map(({ method, path, scope: declared }) => [
      `${method.toUpperCase()} ${path}`,
      scopes.filter((scope) => scope === declared || scope === "admin"),
    ]),
  );
}

/** The routes of the demo, which are not part of the contract. */
const demoOperations = [
  { method: "get", path: "/demo/v1/models", scope: "models:read" },
  { method: "post", path: "/demo/v1/chat/completions", scope: "agent" },
] as const;

/** For each registered route, the scopes that it admits. */
async function admittedScopes(app: Hono<ShellEnvironment>): Promise<Record<string, readonly Scope[]>> {
  const routes = app.routes.filter(({ method, path }) => method !== "ALL" && !(method === "GET" && isPublic(path)));
  const admitted: Record<string, readonly Scope[]> = {};
  for (const { method, path } of routes) {
    const sample = path.replace(/:\w+\{\.\+\}/, "some/name").replaceAll(/:\w+/g, "some-name");
    const name = `${method} ${path.replaceAll(/:(\w+)(?:\{\.\+\})?/g, "{$1}")}`;
    const admits = async (scope: Scope) => {
      const headers = { authorization: `Bearer ${keyOf(scope)}`, "content-type": "application/json" };
      const body = method === "GET" ? null : "null";
      return (await app.request(sample, { method, headers, body })).status !== 403;
    };
    const answers = await Promise.all(scopes.map(admits));
    admitted[name] = scopes.filter((_, index) => answers[index]);
  }
  return admitted;
}

test("admits exactly the declared scope and admin on every route of the agent backend", async () => {
  const demo = { listModels: () => ({}) } as unknown as DemoEndpoint;
  await using agent = await runAgentApp({}, { apiKeys, demo });
  expect(await admittedScopes(agent.app)).toEqual(declaredScopes([...agentOperations, ...demoOperations]));
});

test("admits exactly the declared scope and admin on every route of the evaluation service", async () => {
  const dependencies = {
    log: createLog({ level: "silent" }),
    version: "0",
    apiKeys,
    allowedHosts: [],
    allowedOrigins: () => [],
    readiness: async () => {},
    bodyLimits: { depth: 32, keys: 1000, bytes: 1024 },
  } as unknown as EvaluationDependencies;
  const operations = [...evaluationOperations, ...analysisOperations, ...libraryOperations];
  expect(await admittedScopes(createEvaluationApp(dependencies))).toEqual(declaredScopes(operations));
});
