import type { Context } from "hono";
import type { z } from "zod";
import type { PathParameter } from "../../contract/operations/addresses.ts";
import { parseAddress, type Operation, type RouteDeclaration } from "../../contract/operations/operation.ts";
import type { Warning } from "../../contract/errors/problem.ts";
import { readJson, readOptionalJson, type ReadJsonLimits } from "./body/read-json.ts";
import { unknownFields } from "./body/unknown-fields.ts";
import { validate, validateQuery } from "./body/validate.ts";
import type { Caller, ShellEnvironment } from "./environment/shell-environment.ts";

type DeclaredRoute = RouteDeclaration;

type RouteQuery<D extends DeclaredRoute> = D extends { readonly query: infer Q extends z.ZodObject }
  ? z.output<Q>
  : undefined;
type RouteBody<D extends DeclaredRoute> = D extends { readonly body: infer B extends z.ZodType }
  ? z.output<B>
  : unknown;
type CallerOf<D extends DeclaredRoute> = D extends { readonly scope: "public" } ? Caller | undefined : Caller;

/** A request that passed the gate, as its route reads it. */
export class RouteRequest<D extends DeclaredRoute = DeclaredRoute> {
  readonly context: Context<ShellEnvironment>;
  /** The parameters of the path. */
  readonly params: Readonly<Record<PathParameter<D["address"]>, string>>;
  /** The validated query. */
  readonly query: RouteQuery<D>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  readonly #declared: D;
  readonly #limits: ReadJsonLimits;

  constructor(context: Context<ShellEnvironment>, declared: D, limits: ReadJsonLimits) {
    this.context = context;
    this.signal = context.req.raw.signal;
    this.#declared = declared;
    this.#limits = limits;
    this.params = context.req.param() as typeof this.params;
    this.query = (declared.query && validateQuery(declared.query, context.req.queries())) as RouteQuery<D>;
  }

  /** The sender. A public route has none where keys are configured. */
  get caller(): CallerOf<D> {
    return this.context.get("caller") as CallerOf<D>;
  }

  header(name: string): string | undefined {
    return this.context.req.header(name);
  }

  /** The body as sent, not validated; undefined when a body that may be omitted was. */
  sent(): Promise<unknown> {
    const read = this.#declared.bodyOptional ? readOptionalJson : readJson;
    return read(this.context, this.#limits);
  }

  /** The validated body. */
  async body(): Promise<RouteBody<D>> {
    return (await this.read()).body;
  }

  /** The validated body, and the body as sent. */
  async read(): Promise<{ readonly body: RouteBody<D>; readonly sent: unknown }> {
    const sent = await this.sent();
    return { body: validate(this.#schema(), sent === undefined ? {} : sent) as RouteBody<D>, sent };
  }

  /** A warning for each field of a body that its schema does not know; undefined when it knows all. */
  unknownFields(sent: unknown): readonly Warning[] | undefined {
    const warnings = unknownFields(this.#schema(), sent);
    return warnings.length > 0 ? warnings : undefined;
  }

  #schema(): z.ZodType {
    const { address, body } = this.#declared;
    if (!body) throw new TypeError(`${address} declares no body`);
    return body;
  }
}

type Handler<D extends DeclaredRoute = DeclaredRoute> = (request: RouteRequest<D>) => Response | Promise<Response>;

/** An operation and the handler of its requests, made from the parts of a service. */
export interface Route<Parts = unknown> {
  readonly declared: RouteDeclaration | Operation;
  create(parts: Parts): Handler;
}

/**
 * Defines a route. Who may call it and what it reads is declared; the handler gets only requests that passed those checks.
 * `create` runs once per service.
 */
export function defineRoute<Parts, const D extends DeclaredRoute>(
  declared: D,
  create: (parts: Parts) => Handler<D>,
): Route<Parts> {
  // The shell hands the handler only requests of the declared kind.
  return { declared, create: create as (parts: Parts) => Handler };
}

/** The routes of the public API among these: what its documentation is made from. */
export function operationsOf(routes: readonly Pick<Route, "declared">[]): readonly Operation[] {
  return routes.map(({ declared }) => declared).filter((declared): declared is Operation => "responses" in declared);
}

/** `GET /v1/models/{model*}` → method `GET` and pattern `/v1/models/:model{.+}`. */
export function toRouterPattern(address: string): { readonly method: string; readonly pattern: string } {
  const { method, path, parameters } = parseAddress(address);
  const pattern = parameters.reduce(
    (text, { name, slashes }) => text.replace(`{${name}}`, `:${name}${slashes ? "{.+}" : ""}`),
    path,
  );
  return { method: method.toUpperCase(), pattern };
}
