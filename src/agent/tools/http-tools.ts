import { parse } from "yaml";
import { ConfigError, parseConfig } from "../config-error.ts";
import { defineHttpTool } from "../http-tools/define-http-tool.ts";
import { fromOpenapi } from "../http-tools/from-openapi.ts";
import { givenByOperator, HttpToolsConfig, toOperation, type OpenapiConfig } from "../http-tools/http-config.ts";
import type { HttpOperation, SendRequest } from "../http-tools/http-operation.ts";
import type { Variables } from "../resolve-variables.ts";
import type { Tool } from "../tool.ts";

/**
 * The HTTP tools the operator declared, by hand or by pointing at OpenAPI documents. Everything is checked here, at the
 * start: an unset variable, an unknown operation or a broken schema is a `ConfigError`.
 *
 * @example
 * httpTools(
 *   { tools: [{ name: "order_status", description: "Looks an order up.", url: "https://shop.example/orders/{id}",
 *       headers: { authorization: "Bearer ${SHOP_TOKEN}" },
 *       parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } }] },
 *   { variables: process.env, readDocument: (path) => readFileSync(path, "utf8"), send },
 * );
 */
export function httpTools(
  config: unknown,
  options: { variables: Variables; readDocument: (path: string) => string; send: SendRequest; maxBytes?: number },
): readonly Tool[] {
  const { tools, openapi } = parseConfig(HttpToolsConfig, config, "The list of HTTP tools");
  const operations = [
    ...tools.map((tool) => toOperation(tool, options.variables)),
    ...openapi.flatMap((source) => readOpenapi(source, options)),
  ];
  refuseDoubles(operations);
  return operations.map((operation) => define(operation, options));
}

function readOpenapi(
  source: OpenapiConfig,
  { variables, readDocument }: { variables: Variables; readDocument: (path: string) => string },
): readonly HttpOperation[] {
  const given = givenByOperator(source, variables, source.document);
  try {
    return fromOpenapi(parseDocument(readDocument(source.document)), { ...source, ...given });
  } catch (cause) {
    throw new ConfigError(`${source.document}: ${cause instanceof Error ? cause.message : "cannot be read"}`, {
      cause,
    });
  }
}

/** JSON is YAML too, but read as what it is it takes a fiftieth of the time: documents have megabytes. */
function parseDocument(text: string): unknown {
  const trimmed = text.trim();
  if (!trimmed.startsWith("{")) return parseYaml(text);
  try {
    return JSON.parse(trimmed);
  } catch {
    return parseYaml(text);
  }
}

/** Generators write what stands in many places once, and refer to it: a hundred times is nothing in a large document. */
const maxAliasCount = 100_000;

const parseYaml = (text: string): unknown => parse(text, { merge: true, maxAliasCount });

function refuseDoubles(operations: readonly HttpOperation[]): void {
  const seen = new Set<string>();
  for (const { name } of operations) {
    if (seen.has(name)) throw new ConfigError(`Two HTTP tools are named "${name}".`);
    seen.add(name);
  }
}

function define(operation: HttpOperation, options: { send: SendRequest; maxBytes?: number }): Tool {
  try {
    return defineHttpTool(operation, options);
  } catch (cause) {
    if (cause instanceof TypeError) throw new ConfigError(cause.message, { cause });
    throw cause;
  }
}
