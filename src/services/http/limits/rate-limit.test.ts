import { expect, test } from "vitest";
import { createRateLimit } from "./rate-limit.ts";

const caller = (key?: string) => ({
  owner: "ci",
  scopes: new Set(["admin"] as const),
  ...(key !== undefined && { key }),
});

test("limits each key by itself in scopes with a limit, and no caller without a key", () => {
  const limit = createRateLimit({ evaluate: 1, agent: 0 });
  const twice = (...asked: Parameters<typeof limit>) => {
    limit(...asked);
    return () => limit(...asked);
  };
  const tooMany = "This key may send 1 such requests per minute.";
  expect(twice("evaluate", caller("a"))).toThrow(tooMany);
  expect(twice("evaluate", caller("b"))).toThrow(tooMany);
  expect(twice("agent", caller("a"))).not.toThrow();
  expect(twice("runs:read", caller("a"))).not.toThrow();
  expect(twice("evaluate", caller())).not.toThrow();
  expect(twice("evaluate", undefined)).not.toThrow();
});
