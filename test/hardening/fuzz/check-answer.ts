import type { IncomingHttpHeaders } from "node:http";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { corsResponseHeaders } from "../../../src/services/http/checks/origin-check.ts";
import type { OpenApi } from "./open-api.ts";
import type { FuzzRequest, Route } from "./requests.ts";

export interface FuzzAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** The problems of an answer by the service's own document. */
type AnswerCheck = (route: Route, request: FuzzRequest, answer: FuzzAnswer) => readonly string[];

export function createAnswerCheck(api: OpenApi): AnswerCheck {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "api", ...api });
  const compiled = new Map<string, ValidateFunction>();

  function validatorAt(...path: readonly string[]): ValidateFunction {
    const steps = path.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1")));
    const reference = `api#/${steps.join("/")}`;
    const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference });
    compiled.set(reference, validate);
    return validate;
  }

  function bodyProblems({ path, method, operation }: Route, { status, type, text }: FuzzAnswer): string[] {
    const content = operation.responses[status]?.content;
    if (!content) return text === "" ? [] : [`status ${status} has a body: ${text.slice(0, 100)}`];
    const mediaType = type.split(";")[0] ?? "";
    if (!content[mediaType]) return [`media type ${mediaType} of ${status} is not documented`];
    if (mediaType === "text/event-stream") return eventProblems(text);
    if (!/[/+]json$/.test(mediaType)) return [];
    const fits = validatorAt("paths", path, method, "responses", String(status), "content", mediaType, "schema");
    if (fits(JSON.parse(text))) return [];
    return [`body of ${status} does not fit: ${ajv.errorsText(fits.errors)}: ${text.slice(0, 300)}`];
  }

  function headerProblems({ operation }: Route, { status, headers }: FuzzAnswer): string[] {
    const documented = Object.entries(operation.responses[status]?.headers ?? {}).map(([name, header]) => {
      const shared = header.$ref && api.components.headers[header.$ref.split("/").at(-1) ?? ""];
      return { name, ...(shared ?? header) };
    });
    const names = documented.map(({ name }) => name);
    const missing = documented.filter(({ name, required }) => required && headers[name] === undefined);
    const unknown = corsResponseHeaders.filter((name) => headers[name] !== undefined && !names.includes(name));
    const wrong = documented.filter(({ name, schema }) => {
      return (
        headers[name] !== undefined && schema?.["type"] !== "string" && !/^\d+(?:\.\d+)?$/.test(String(headers[name]))
      );
    });
    return [
      ...missing.map(({ name }) => `${status} comes without ${name}`),
      ...unknown.map((name) => `the header ${name} of ${status} is not documented`),
      ...wrong.map(({ name }) => `the header ${name} of ${status} is no number: ${String(headers[name])}`),
    ];
  }

  /** Requests that violate the document must not be executed. */
  function acceptedAnyway({ path, method, operation }: Route, { body }: FuzzRequest, { status }: FuzzAnswer): string[] {
    if (status >= 300 || !body || !operation.requestBody) return [];
    const fits = validatorAt("paths", path, method, "requestBody", "content", "application/json", "schema");
    if (fits(JSON.parse(body))) return [];
    return [`${status} for a body the document refuses: ${ajv.errorsText(fits.errors)}`];
  }

  return (route, request, answer) => {
    const { status, text } = answer;
    if (!route.operation.responses[status]) return [`status ${status} is not documented: ${text.slice(0, 200)}`];
    if (status === 500 || status === 501 || status > 504) return [`unplanned ${status}: ${text.slice(0, 300)}`];
    return [
      ...bodyProblems(route, answer),
      ...headerProblems(route, answer),
      ...acceptedAnyway(route, request, answer),
    ];
  };
}

/** Every event holds JSON, but for the mark with which OpenAI's streams end. */
function eventProblems(text: string): string[] {
  const events = text.split("\n").filter((line) => line.startsWith("data:"));
  const broken = events.filter((line) => line !== "data: [DONE]" && !isJson(line.slice("data:".length)));
  return broken.map((line) => `an event is no JSON: ${line.slice(0, 200)}`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
