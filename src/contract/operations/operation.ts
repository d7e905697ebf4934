import type { z } from "zod";
import type { ErrorCode } from "../errors.ts";
import type { Json } from "./openapi-schemas.ts";

/** A response header. */
export interface AnswerHeader {
  readonly description: string;
  /** Default: text. */
  readonly type?: "integer" | "number";
  /** Set when every response for which the header is listed has it. */
  readonly required?: true;
}

export type AnswerHeaders = Readonly<Record<string, AnswerHeader>>;

/** One route of a service: the source of its OpenAPI entry and of the checks of its requests. */
export interface Operation {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Contains `{name}` for parameters. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** The scope an API key needs for this route. Undefined: any key, or no key when the route is public. */
  readonly scope?: Scope;
  readonly headers?: Readonly<
    Record<string, { description: string; required?: boolean; example?: string; schema?: z.ZodType }>
  >;
  /** `slashes`: the value may contain slashes. */
  readonly parameters?: Readonly<Record<string, { description: string; schema?: z.ZodType; slashes?: true }>>;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** An example body, shown in /docs. It works on a new installation, unless it names a run. */
  readonly example?: Json;
  /** True when the body may be omitted. */
  readonly bodyOptional?: true;
  readonly responses: Readonly<
    Record<number, { description: string; schema?: z.ZodType; mediaTypes?: readonly string[]; headers?: AnswerHeaders }>
  >;
  /** Headers of every response of this route, including errors. */
  readonly answerHeaders?: AnswerHeaders;
  /** Error codes of this route, in addition to those of every route. */
  readonly errors: readonly ErrorCode[];
}

/** The permissions of an API key. `admin` includes all others. */
export const scopes = [
  "evaluate",
  "runs:read",
  "runs:write",
  "verdicts:adjudicate",
  "agent",
  "models:read",
  "admin",
] as const;
export type Scope = (typeof scopes)[number];
