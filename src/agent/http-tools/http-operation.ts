import type { Secret } from "../../base/secret.ts";
import type { PathParameter } from "./url-template.ts";

/**
 * How a list or object is written into a query or a form. `repeat`: a list as one pair for each item, an object as JSON. `form`: an
 * object as a pair for each of its keys. `comma`, `space` and `pipe`: in one value. `deep`: `name[key]=value`, as deep as it goes. `json`: as JSON.
 */
export type QueryStyle = "repeat" | "form" | "comma" | "space" | "pipe" | "deep" | "json";

/** One HTTP request that can be made as a tool, whether it was written by hand or read from an OpenAPI document. */
export interface HttpOperation {
  readonly name: string;
  readonly description: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Full address; `{parameter}` stands for a value in the path. */
  readonly url: string;
  /** The parameters of the path that need more than their own name, by the name of the argument. */
  readonly pathParameters?: ReadonlyMap<string, PathParameter>;
  /** JSON schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly query: readonly { readonly name: string; readonly parameter: string; readonly style: QueryStyle }[];
  readonly headerParameters: readonly { readonly name: string; readonly parameter: string }[];
  readonly body: RequestBody | null;
  readonly headers: Readonly<Record<string, Secret>>;
  /** What the operator adds to the query, such as a key. */
  readonly fixedQuery: Readonly<Record<string, Secret>>;
  /** What the model must not read of them. */
  readonly secrets: readonly Secret[];
  readonly needsApproval: boolean;
  readonly timeoutMs: number | undefined;
}

/** Fields of a body, or one parameter that is the whole body. `type` is its media type: a form, or a kind of JSON. */
export type RequestBody = { readonly type: string } & (
  | {
      readonly fields: readonly BodyField[];
      /** Nothing is sent where no field is given. */
      readonly optional: boolean;
    }
  | { readonly whole: string }
);

interface BodyField {
  readonly name: string;
  readonly parameter: string;
  /** How a list or object is written into a form. */
  readonly style: QueryStyle;
}

export const formType = "application/x-www-form-urlencoded";

export interface ToolRequest {
  readonly method: HttpOperation["method"];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sending it twice does no more than sending it once. */
  readonly idempotent: boolean;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** What came back, whatever its status. A `reason`, where nothing did, is written for the model. */
export type ToolResponse =
  | { readonly ok: true; readonly status: number; readonly content_type: string; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** Contract: follows no redirect, reads at most `maxBytes`, rejects only when `signal` aborts. */
export type SendRequest = (request: ToolRequest) => Promise<ToolResponse>;
