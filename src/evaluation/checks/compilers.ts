import type { Compilers } from "../../scoring/checks/define-check.ts";
import { compilePattern, type PatternBudget } from "./compile-pattern.ts";
import { compileSchema } from "./compile-schema.ts";

/** The libraries that compile patterns and schemas. `budget` limits those that come with a request. */
export const compilers = (budget?: PatternBudget): Compilers => ({
  pattern: (pattern, { ignoreCase }) => compilePattern(pattern, { ignoreCase, budget }),
  schema: (schema) => compileSchema(schema, budget),
});
