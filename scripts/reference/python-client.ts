import type { z } from "zod";
import { toComponentSchemas } from "../../src/contract/operations/openapi-schemas.ts";
import { parseAddress, type Operation } from "../../src/contract/operations/operation.ts";
import { StoredTurn } from "../../src/contract/schemas/run.ts";
import { agentService, evaluationService, type ApiService } from "./api-services.ts";
import { viewOpenApi, type JsonSchema, type Parameter, type Route } from "./open-api-view.ts";

const folder = "python/src/rehearsal_eval/client";
const source = "Generated from the service's OpenAPI document by ``npm run docs:reference``; do not edit.";

/** The generated modules of the Python client: for each service its types, and one method per route. */
export function pythonClient(): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...modules(evaluationService, [StoredTurn]),
    // The page and its settings are for the page alone.
    ...modules(agentService, [], ["getPage", "getPageConfig"]),
  ]);
}

function modules(
  service: ApiService,
  events: readonly z.ZodType[],
  skipped: readonly string[] = [],
): readonly (readonly [string, string])[] {
  const { name, title, lead, operations } = service;
  const { paths, schemas } = viewOpenApi({ title, version: "", description: lead, operations });
  const { components } = toComponentSchemas({ inputs: [], outputs: events });
  const all = { ...schemas, ...(components as Readonly<Record<string, JsonSchema>>) };
  const types = typesModule(title, all);
  const methods = operations
    .filter(({ id }) => !skipped.includes(id))
    .map((operation) => {
      const { method, path } = parseAddress(operation.address);
      const route = paths[path]?.[method];
      if (!route) throw new Error(`${operation.id} is not in the OpenAPI document`);
      return { operation, route };
    });
  return [
    [`${folder}/${name}_types.py`, types.text],
    [`${folder}/_${name}_operations.py`, operationsModule(service, methods, types)],
  ];
}

interface Types {
  readonly text: string;
  /** The Python type of a schema; names of generated types follow `prefix`. */
  readonly typeOf: (schema: JsonSchema, prefix: string) => string;
}

function typesModule(title: string, schemas: Readonly<Record<string, JsonSchema>>): Types {
  const declared: string[] = [];
  const isLoose = ({ properties, additionalProperties }: JsonSchema): boolean =>
    properties !== undefined && additionalProperties !== undefined && additionalProperties !== false;

  /** Names objects inside other types by their place, such as `RunProgress`. */
  function typeOf(schema: JsonSchema, place: string, prefix = ""): string {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.replace("#/components/schemas/", "");
      return open(schemas[name] ?? {}, prefix + name);
    }
    if (schema.const !== undefined) return literal([schema.const]);
    if (schema.enum) return literal(schema.enum);
    if (schema.properties) {
      const name = uniqueName(place);
      declareObject(name, schema);
      return open(schema, prefix + name);
    }
    const members = schema.anyOf ?? schema.oneOf;
    if (members) {
      return union(members.map((member, index) => typeOf(member, place + variant(member, index), prefix)));
    }
    if (Array.isArray(schema.type)) {
      return union((schema.type as string[]).map((type) => typeOf({ ...schema, type }, place, prefix)));
    }
    switch (schema.type) {
      case "string":
        return "str";
      case "integer":
        return "int";
      case "number":
        return "float";
      case "boolean":
        return "bool";
      case "null":
        return "None";
      case "array":
        return `List[${schema.items ? typeOf(schema.items, `${place}Item`, prefix) : "Any"}]`;
      case "object": {
        const { additionalProperties: values } = schema;
        return `Dict[str, ${typeof values === "object" ? typeOf(values, `${place}Value`, prefix) : "Any"}]`;
      }
      default:
        return "Any";
    }
  }

  const taken = new Set(Object.keys(schemas));
  function uniqueName(name: string): string {
    let unique = name;
    for (let count = 2; taken.has(unique); count += 1) unique = `${name}${count}`;
    taken.add(unique);
    return unique;
  }

  /** An object that may have more keys than those that are known can also be any mapping. */
  function open(schema: JsonSchema, name: string): string {
    return isLoose(schema) ? union([name, "Mapping[str, Any]"]) : name;
  }

  function declareObject(name: string, schema: JsonSchema): void {
    const { properties = {}, required = [], description } = schema;
    const fields = Object.entries(properties).map(([key, value]) => ({
      key,
      isRequired: required.includes(key),
      type: typeOf(value, name + pascal(key)),
      words: wordsOf(value),
    }));
    const [always, sometimes] = [fields.filter(({ isRequired }) => isRequired), fields.filter((f) => !f.isRequired)];
    if (always.length === 0 || sometimes.length === 0) {
      declared.push(typedDict(name, fields, { total: always.length > 0 || fields.length === 0, words: description }));
      return;
    }
    // `NotRequired` is newer than Python 3.10.
    declared.push(typedDict(`_${name}Required`, always, { total: true }));
    declared.push(typedDict(name, sometimes, { base: `_${name}Required`, total: false, words: description }));
  }

  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.properties) {
      declareObject(name, schema);
      continue;
    }
    const type = typeOf(schema, name);
    declared.push(`${name}: TypeAlias = "${type.replaceAll('"', "'")}"\n${documented(schema.description, 0)}`);
  }
  const text = `"""The types of the ${title.toLowerCase()}.

${source}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, List, Literal, TypeAlias, TypedDict

# Fields may be called like the types of their neighbours, such as \`list\`: hence \`List\` and \`Dict\`.


${declared.join("\n\n")}`;
  return { text, typeOf: (schema, prefix) => typeOf(schema, "", prefix) };
}

interface Field {
  readonly key: string;
  readonly type: string;
  readonly words: string | undefined;
}

function typedDict(
  name: string,
  fields: readonly Field[],
  { base, total, words }: { base?: string; total: boolean; words?: string | undefined },
): string {
  const optional = total ? "" : ", total=False";
  if (!fields.some(({ key }) => keywords.has(key) || !/^[A-Za-z_]\w*$/.test(key))) {
    const texts = fields.map(({ key, type, words: said }) => `    ${key}: ${type}\n${documented(said, 4)}`);
    return `class ${name}(${base ?? "TypedDict"}${optional}):\n${documented(words, 4)}${texts.join("") || "    pass\n"}`;
  }
  // A field that is called like a keyword, such as `from`, cannot be written in a class.
  const texts = fields.map(({ key, type }) => `"${key}": ${JSON.stringify(type.replaceAll('"', "'"))}`);
  const odd = base === undefined ? name : `_${name}Optional`;
  const dictionary = `${odd} = TypedDict("${odd}", {${texts.join(", ")}}${optional})\n`;
  return base === undefined
    ? dictionary
    : `${dictionary}\n\nclass ${name}(${base}, ${odd}):\n${documented(words, 4)}    pass\n`;
}

const keywords: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global if " +
    "import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

interface Method {
  readonly operation: Operation;
  readonly route: Route;
}

function operationsModule({ name, title }: ApiService, methods: readonly Method[], { typeOf }: Types): string {
  const written = methods.flatMap((method) => methodsOf(method, typeOf));
  const kind = name === "evaluation" ? "Evaluation" : "Agent";
  return `"""One method for each route of the ${title.toLowerCase()}, for callers with and without an event loop.

${source}
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Dict, List, Literal

from . import ${name}_types as t
from ._transport import AsyncTransport, ServerEvent, Transport


class ${kind}Operations(Transport):
${written.map((write) => write(false)).join("\n")}

class Async${kind}Operations(AsyncTransport):
${written.map((write) => write(true)).join("\n")}`;
}

/** A route has a method for its JSON, and one for its events if it has both. */
function methodsOf({ operation, route }: Method, typeOf: Types["typeOf"]): readonly ((isAsync: boolean) => string)[] {
  const { method, parameters: inPath } = parseAddress(operation.address);
  const parameters = (route.parameters ?? []).filter(({ name }) => !ours.has(name));
  const body = route.requestBody?.content["application/json"]?.schema;
  const content = successOf(route);
  const result = resultOf(content, typeOf);
  const values = (place: Parameter["in"]): string => {
    const entries = parameters.filter((parameter) => parameter.in === place);
    return `{${entries.map(({ name }) => `"${name}": ${argument(name)}`).join(", ")}}`;
  };
  const signature = [
    "self",
    ...inPath.map(({ name }) => `${argument(name)}: str`),
    ...(body ? [`body: ${typeOf(body, "t.")}${operation.bodyOptional ? " | None = None" : ""}`] : []),
    ...keywordArguments(parameters, typeOf),
  ].join(", ");
  const path = inPath.reduce(
    (address, { name, slashes }) =>
      address.replace(`{${name}}`, `{self._segment(${argument(name)}, slashes=${slashes ? "True" : "False"})}`),
    parseAddress(operation.address).path,
  );
  const call = `"${method.toUpperCase()}", ${inPath.length > 0 ? "f" : ""}"${path}", query=${values("query")}, headers=${values("header")}, body=${body ? "body" : "None"}`;
  const doc = documented([route.summary, operation.description].filter(Boolean).join("\n\n"), 8);
  const name = snake(operation.id);
  const asked = (isAsync: boolean): string =>
    result === "None"
      ? `    ${isAsync ? "async " : ""}def ${name}(${signature}) -> None:\n${doc}        ${isAsync ? "await " : ""}self._ask(${call})\n`
      : `    ${isAsync ? "async " : ""}def ${name}(${signature}) -> ${result}:\n${doc}        answer: ${result} = ${isAsync ? "await " : ""}self._ask(${call})\n        return answer\n`;
  const streamed = (isAsync: boolean): string =>
    `    def ${result === null ? name : `${name}_events`}(${signature}) -> ${isAsync ? "AsyncIterator" : "Iterator"}[ServerEvent]:\n${doc}        return self._stream(${call})\n`;
  return [...(result === null ? [] : [asked]), ...("text/event-stream" in content ? [streamed] : [])];
}

/** Set by the methods themselves. */
const ours: ReadonlySet<string> = new Set(["accept", "prefer"]);

/** Parameters of the query and headers; those that are required come first. */
function keywordArguments(parameters: readonly Parameter[], typeOf: Types["typeOf"]): readonly string[] {
  const given = parameters.filter((parameter) => parameter.in !== "path");
  if (given.length === 0) return [];
  const written = given
    .toSorted((left, right) => Number(right.required) - Number(left.required))
    .map(({ name, schema, required }) => {
      const type = typeOf(schema, "t.");
      return required ? `${argument(name)}: ${type}` : `${argument(name)}: ${union([type, "None"])} = None`;
    });
  return ["*", ...written];
}

function successOf({ responses }: Route): Readonly<Record<string, { readonly schema: JsonSchema }>> {
  return Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1].content ?? {};
}

/** Null for a route that only streams. */
function resultOf(content: ReturnType<typeof successOf>, typeOf: Types["typeOf"]): string | null {
  const kinds = Object.entries(content).filter(([type]) => type !== "text/event-stream");
  if (kinds.length === 0) return Object.keys(content).length === 0 ? "None" : null;
  return union(kinds.map(([type, { schema }]) => (type === "application/json" ? typeOf(schema, "t.") : "str")));
}

function union(types: readonly string[]): string {
  const members = [...new Set(types.flatMap((type) => (type.includes("[") ? [type] : type.split(" | "))))];
  return members.includes("Any") ? "Any" : members.join(" | ");
}

const literal = (values: readonly unknown[]): string =>
  values.every((value) => typeof value === "string" || typeof value === "boolean" || Number.isInteger(value))
    ? `Literal[${values.map(pythonValue).join(", ")}]`
    : values.every((value) => value === null)
      ? "None"
      : "Any";

const pythonValue = (value: unknown): string =>
  typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);

/** What tells a member of a union from the others: the constant that it carries, else its number. */
function variant({ properties = {} }: JsonSchema, index: number): string {
  const constant = Object.values(properties).find((value) => typeof value.const === "string")?.const;
  return typeof constant === "string" ? pascal(constant) : index === 0 ? "" : String(index + 1);
}

const wordsOf = ({ description, default: standard }: JsonSchema): string | undefined =>
  [
    description,
    standard !== undefined && !/[Dd]efault/.test(description ?? "") ? `Default: ${JSON.stringify(standard)}.` : "",
  ]
    .filter(Boolean)
    .join(" ") || undefined;

function documented(words: string | undefined, indent: number): string {
  if (!words) return "";
  const space = " ".repeat(indent);
  const text = words.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"').replace(/"$/, '" ');
  const lines = text.split("\n").flatMap((line) => wrapped(line, 116 - indent));
  const closing = lines.length > 1 ? `\n${space}` : "";
  return `${lines.map((line, index) => (index === 0 ? `${space}"""${line}` : line && space + line)).join("\n")}${closing}"""\n`;
}

function wrapped(line: string, width: number): string[] {
  const lines: string[] = [""];
  for (const word of line.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

/** `x-model-id` → `model_id` */
const argument = (name: string): string => name.replace(/^x-/, "").replaceAll("-", "_");
