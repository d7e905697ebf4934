import type { z } from "zod";
import type * as agentMemory from "./agent-memory.ts";
import type * as agentModels from "./agent-models.ts";
import type * as agentResponses from "./agent-responses.ts";
import type * as agentTurns from "./agent-turns.ts";
import type * as analysis from "./analysis.ts";
import type * as evaluation from "./evaluation.ts";
import type * as library from "./library.ts";
import type { AddressOf, OperationId, PathParameter } from "./addresses.ts";
import type * as service from "./service.ts";

type Declared = typeof agentMemory &
  typeof agentModels &
  typeof agentResponses &
  typeof agentTurns &
  typeof analysis &
  typeof evaluation &
  typeof library &
  typeof service;

/** The declaration of an operation. An address without one does not compile. */
type Declaration<Id extends OperationId> = Declared[Id];

type Responses<Id extends OperationId> = Declaration<Id>["responses"];

/** The JSON of a successful response. */
export type AnswerOf<Id extends OperationId> =
  Responses<Id> extends { readonly 200: { readonly schema: infer Schema extends z.ZodType } }
    ? z.output<Schema>
    : Responses<Id> extends { readonly 202: { readonly schema: infer Schema extends z.ZodType } }
      ? z.output<Schema>
      : unknown;

type QueryOf<Id extends OperationId> =
  Declaration<Id> extends { readonly query: infer Query extends z.ZodObject }
    ? { readonly [Name in keyof z.input<Query>]?: string | number | undefined }
    : undefined;

type BodyOf<Id extends OperationId> =
  Declaration<Id> extends { readonly body: infer Body extends z.ZodType } ? z.input<Body> : undefined;

type ParametersOf<Id extends OperationId> = Readonly<Record<PathParameter<AddressOf<Id>>, string>>;

/** The parts of a request that a client sends to an operation. */
export type InputOf<Id extends OperationId> = {
  readonly query?: QueryOf<Id> | undefined;
  readonly body?: BodyOf<Id> | undefined;
} & ([keyof ParametersOf<Id>] extends [never]
  ? { readonly parameters?: undefined }
  : { readonly parameters: ParametersOf<Id> });
