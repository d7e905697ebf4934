import type { z } from "zod";
import type { ErrorCode } from "../errors/errors.ts";
import { declaredAddress, type AddressOf, type OperationId } from "./addresses.ts";
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

/** The facts that decide which requests reach a route: its address, who may call it, and what it reads. */
export interface RouteDeclaration {
  /** Method and path, such as `GET /runs/{run_id}`. */
  readonly address: string;
  /** The scope that an API key needs, or `public`: no key is needed. */
  readonly scope: Scope | "public";
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** True when the body may be omitted. */
  readonly bodyOptional?: true;
  /** True when requests are answered even under overload: the state of the service must stay readable then. */
  readonly duringOverload?: true;
  /** True when requests do not count for the rate limit of their scope. */
  readonly uncounted?: true;
}

/** A route of the public API: the source of its documentation and of the checks of its requests. */
export interface Operation extends RouteDeclaration {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly headers?: Readonly<
    Record<string, { description: string; required?: boolean; example?: string; schema?: z.ZodType }>
  >;
  readonly parameters?: Readonly<Record<string, { description: string; schema?: z.ZodType }>>;
  /** An example body, shown in /docs. It works on a new installation, unless it names a run. */
  readonly example?: Json;
  readonly responses: Readonly<
    Record<number, { description: string; schema?: z.ZodType; mediaTypes?: readonly string[]; headers?: AnswerHeaders }>
  >;
  /** Headers of every response of this route, including errors. */
  readonly answerHeaders?: AnswerHeaders;
  /** Error codes of this route, in addition to those of every route. */
  readonly errors: readonly ErrorCode[];
}

type Details = Omit<Operation, "id" | "address">;

/** Declares an operation. Its method and path are those of its name in `addresses.ts`. */
export function defineOperation<const Id extends OperationId, const Given extends Details>(
  id: Id,
  details: Given & Readonly<Record<Exclude<keyof Given, keyof Details>, never>>,
): Given & { readonly id: Id; readonly address: AddressOf<Id> } {
  return { id, address: declaredAddress(id), ...details };
}

/** `GET /v1/models/{model*}` → method `get`, path `/v1/models/{model}` and its parameters. */
export function parseAddress(address: string): {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly slashes: boolean }[];
} {
  const [method = "", template = ""] = address.split(" ");
  const parameters = [...template.matchAll(/\{(\w+)(\*?)\}/g)].map(([, name = "", star]) => ({
    name,
    slashes: star === "*",
  }));
  return { method: method.toLowerCase(), path: template.replaceAll("*}", "}"), parameters };
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
