import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";

/** One route as the contract sees it: what the OpenAPI document says and what the service checks. */
export interface Operation {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "delete";
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly headers?: Readonly<Record<string, { description: string; required?: boolean }>>;
  readonly parameters?: Readonly<Record<string, { description: string; schema?: z.ZodType }>>;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly responses: Readonly<
    Record<number, { description: string; schema?: z.ZodType; mediaTypes?: readonly string[] }>
  >;
  /** Codes this route may answer with, beside those every route shares. */
  readonly errors: readonly ErrorCode[];
}
