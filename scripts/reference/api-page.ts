import Slugger from "github-slugger";
import { parseAddress, type AnswerHeaders, type Operation } from "../../src/contract/operations/operation.ts";
import type { ApiService } from "./api-services.ts";
import { recordedAnswers } from "./recorded-answers.ts";
import { viewOpenApi, type JsonSchema, type Parameter, type Route } from "./open-api-view.ts";
import { schemaWords } from "./schema-words.ts";

interface Entry {
  readonly heading: string;
  readonly anchor: string;
  readonly operation: Operation;
  readonly route: Route;
}

type Link = (name: string) => string;

/** docs/reference/api-….md: every route of a service with its parameters, body, answers and an example. */
export function apiPage({ name, title, lead, address, operations, examples }: ApiService): string {
  const { paths, schemas } = viewOpenApi({ title, version: "", description: lead, operations });
  const slugger = new Slugger();
  slugger.slug(title);
  const slug = (heading: string): string => slugger.slug(heading.replaceAll("`", ""));
  slug("Routes");
  const groups = [...Map.groupBy(operations, ({ tag }) => tag)].map(([tag, members]) => {
    slug(tag);
    const entries = members.flatMap((operation): Entry[] => {
      const { method, path } = parseAddress(operation.address);
      const route = paths[path]?.[method];
      const heading = `\`${method.toUpperCase()} ${path}\``;
      return route ? [{ heading, anchor: slug(heading), operation, route }] : [];
    });
    return { tag, entries };
  });
  slug("Schemas");
  const anchors = new Map(Object.keys(schemas).map((name) => [name, slug(name)]));
  const link: Link = (name) => `[${name}](#${anchors.get(name) ?? ""})`;
  const section = (entry: Entry): string => {
    const { id } = entry.operation;
    return routeSection(entry, { command: examples[id]?.command, answer: recordedAnswers[name][id] }, link);
  };
  const index = groups.flatMap(({ entries }) =>
    entries.map(({ heading, anchor, route }) => `- [${heading}](#${anchor}): ${route.summary}`),
  );

  return `# ${title}

Written by \`node scripts/write-reference.ts\` from the OpenAPI document the service gives at \`/openapi.json\`; do not edit. Every example
is run by a test; \`$run_id\` and its like stand for what an earlier answer gave, \`"…"\` in an answer for what varies or is left out.

${lead} Default address: \`${address}\`.

Bodies are JSON. Any answer that is not 2xx is an [error](errors.md); those every route shares are not repeated here. Every answer carries
\`x-request-id\` and \`rehearsal-version\`. Where the service has keys, send \`Authorization: Bearer <key>\` or \`x-api-key\`.

## Routes

${index.join("\n")}

${groups.map(({ tag, entries }) => `## ${tag}\n\n${entries.map(section).join("\n")}`).join("\n")}
## Schemas

${Object.entries(schemas)
  .map(([name, schema]) => schemaSection(name, schema, link))
  .join("\n")}`;
}

interface Example {
  readonly command: string | undefined;
  readonly answer: unknown;
}

function routeSection({ heading, operation, route }: Entry, { command, answer }: Example, link: Link): string {
  const { description, parameters = [], requestBody } = route;
  const body = requestBody?.content["application/json"]?.schema;
  return paragraphs([
    `### ${heading}`,
    [`${route.summary}${/[.?!]$/.test(route.summary) ? "" : "."}`, description].filter(Boolean).join(" "),
    operation.scope !== "public" && `A key needs the scope \`${operation.scope}\`.`,
    parameters.length > 0 &&
      `Parameters:\n\n${parameters.map((parameter) => parameterLine(parameter, link)).join("\n")}`,
    body && `Body: ${schemaWords(body, link)}.`,
    `Answers:\n\n${answerLines(operation, route, link).join("\n")}`,
    headerLines(operation).length > 0 && `Headers of the answer:\n\n${headerLines(operation).join("\n")}`,
    command !== undefined && `\`\`\`sh\n${command}\n\`\`\``,
    // Without a language, so that the formatter leaves it unchanged.
    answer !== undefined && `\`\`\`\n${JSON.stringify(answer, null, 2)}\n\`\`\``,
  ]);
}

function parameterLine({ name, in: place, required, description, schema }: Parameter, link: Link): string {
  const facts = [place, ...(required ? ["required"] : []), ...(place === "header" ? [] : [schemaWords(schema, link)])];
  return `- \`${name}\` (${[...facts, ...defaultOf(schema)].join("; ")})${description === undefined ? "" : `: ${description}`}`;
}

function answerLines({ responses: own, errors }: Operation, { responses }: Route, link: Link): string[] {
  const answers = Object.entries(own).map(([status, { description }]) => {
    const content = Object.entries(responses[status]?.content ?? {}).filter(([type]) => !type.includes("problem"));
    const forms = content.map(([type, { schema }]) =>
      type.endsWith("json") ? `\`${type}\` ${schemaWords(schema, link)}` : `\`${type}\``,
    );
    return `- ${status}: ${description}${forms.length > 0 ? ` ${forms.join(", ")}` : ""}`;
  });
  const codes = [...new Set(errors)].map((code) => `[\`${code}\`](errors.md#${code})`);
  return codes.length > 0 ? [...answers, `- Errors: ${codes.join(", ")}`] : answers;
}

/** Each once, whatever the status it comes with. */
function headerLines({ responses, answerHeaders }: Operation): string[] {
  const own = Object.values(responses).map(({ headers }) => headers);
  const headers: AnswerHeaders = Object.assign({}, answerHeaders, ...own);
  return Object.entries(headers).map(([name, { description, type }]) => {
    return `- \`${name}\`${type === undefined ? "" : ` (${type})`}: ${description}`;
  });
}

function schemaSection(name: string, schema: JsonSchema, link: Link): string {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([field, part]) => {
    const facts = [...(required.has(field) ? ["required"] : []), schemaWords(part, link), ...defaultOf(part)];
    return `- \`${field}\` (${facts.join("; ")})${part.description === undefined ? "" : `: ${part.description}`}`;
  });
  return paragraphs([
    `### ${name}`,
    schema.description,
    fields.length > 0 ? fields.join("\n") : `${schemaWords(schema, link)}.`,
  ]);
}

const defaultOf = ({ default: value }: JsonSchema): string[] =>
  value === undefined ? [] : [`default \`${JSON.stringify(value)}\``];

const paragraphs = (parts: readonly (string | false | undefined)[]): string =>
  `${parts.filter((part) => typeof part === "string" && part !== "").join("\n\n")}\n`;
