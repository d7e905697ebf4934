import type { MiddlewareHandler } from "hono";
import type { Operation } from "../../contract/operation.ts";
import { checkScope } from "./auth.ts";
import type { Caller, ShellEnvironment } from "./shell-environment.ts";

/** Finds the operation of the contract that a request asks for. */
export type FindOperation = (request: { method: string; path: string }) => Operation | undefined;

export function createOperationTable(operations: readonly Operation[]): FindOperation {
  const table = operations.map((operation) => ({ operation, pattern: toPattern(operation.path) }));
  return ({ method, path }) => {
    const asked = method === "HEAD" ? "get" : method.toLowerCase();
    return table.find(({ operation, pattern }) => operation.method === asked && pattern.test(path))?.operation;
  };
}

/** Checks the scope that the contract names for a route, before the route itself: a route cannot forget to ask. */
export function scopeCheck({ find }: { find: FindOperation }): MiddlewareHandler<ShellEnvironment> {
  return async (context, next) => {
    const scope = find(context.req)?.scope;
    if (scope !== undefined) checkScope(context.get("caller") as Caller | undefined, scope);
    await next();
  };
}

/** `/runs/{run_id}` → `^/runs/[^/]+$`. */
function toPattern(path: string): RegExp {
  const source = path
    .split(/\{\w+\}/)
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join("[^/]+");
  return new RegExp(`^${source}$`);
}
