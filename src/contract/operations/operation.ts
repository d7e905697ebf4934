import type { z } from "zod";
import type { ErrorCode } from "../errors.ts";
import type { Json } from "./openapi-schemas.ts";

/** A header of an answer. */
export interface AnswerHeader {
  readonly description: string;
  /** Text, unless said otherwise. */
  readonly type?: "integer" | "number";
  /** Whether each answer has it that may have it. */
  readonly required?: true;
}

export type AnswerHeaders = Readonly<Record<string, AnswerHeader>>;

/** One route as the contract sees it: what the OpenAPI document says and what the service checks. */
export interface Operation {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "delete";
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** What a key must be allowed to do to use this route. None: any key, or no key where the route is public. */
  readonly scope?: Scope;
  readonly headers?: Readonly<
    Record<string, { description: string; required?: boolean; example?: string; schema?: z.ZodType }>
  >;
  readonly parameters?: Readonly<Record<string, { description: string; schema?: z.ZodType }>>;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** A body to begin with: /docs fills it in, and as far as it names no run it works on a fresh start. */
  readonly example?: Json;
  /** True where the request may come without its body. */
  readonly bodyOptional?: true;
  readonly responses: Readonly<
    Record<number, { description: string; schema?: z.ZodType; mediaTypes?: readonly string[]; headers?: AnswerHeaders }>
  >;
  /** Headers of any answer of this route, also of one that says that it failed. */
  readonly answerHeaders?: AnswerHeaders;
  /** Codes this route may answer with, beside those every route shares. */
  readonly errors: readonly ErrorCode[];
}

/** What an API key may be allowed to do. `admin` includes the rest. */
export const scopes = ["evaluate", "runs:read", "runs:write", "agent", "models:read", "admin"] as const;
export type Scope = (typeof scopes)[number];
