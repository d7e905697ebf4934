import type { Operation } from "../../contract/operations/operation.ts";

/** Finds the contract's operation for a request. */
export type FindOperation = (request: { method: string; path: string }) => Operation | undefined;

export function createOperationTable(operations: readonly Operation[]): FindOperation {
  const isFixed = ({ path }: Operation) => !path.includes("{");
  const fixed = new Map(operations.filter(isFixed).map((operation) => [keyOf(operation), operation]));
  const table = operations
    .filter((operation) => !isFixed(operation))
    .map((operation) => ({ operation, pattern: toPattern(operation) }));
  return ({ method, path }) => {
    const asked = method === "HEAD" ? "get" : method.toLowerCase();
    return (
      fixed.get(keyOf({ method: asked, path })) ??
      table.find(({ operation, pattern }) => operation.method === asked && pattern.test(path))?.operation
    );
  };
}

function keyOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path}`;
}

/** `/runs/{run_id}` → `^/runs/[^/]+$`. */
function toPattern({ path, parameters = {} }: Operation): RegExp {
  const source = path
    .split(/\{(\w+)\}/)
    .map((part, index) => {
      if (index % 2 === 1) return parameters[part]?.slashes ? ".+" : "[^/]+";
      return part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    })
    .join("");
  return new RegExp(`^${source}$`);
}
