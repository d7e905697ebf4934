import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { shorten } from "../../base/format.ts";
import type { ScorerResult } from "../../scoring/scorers/scorer.ts";
import { compilePattern, type PatternBudget } from "./compile-pattern.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

// Schemas come with requests: their patterns run in linear time, and references are never fetched.
// Ajv identifies patterns by `toString`. In a schema, `^` and `$` match only at the ends of the text.
const linearPatterns = (budget?: PatternBudget) =>
  Object.assign(
    (pattern: string) => ({ ...compilePattern(pattern, { lines: false, budget }), toString: () => pattern }),
    { code: "linearPatterns" },
  );
const options: Options = {
  strict: false,
  validateFormats: false,
  // Otherwise every object would have a "constructor".
  ownProperties: true,
  logger: false,
  // 19.99 is a multiple of 0.01, up to rounding.
  multipleOfPrecision: 6,
  // Inlining every reference could turn a small schema into gigabytes of code.
  inlineRefs: false,
  code: { regExp: linearPatterns() as never, optimize: false },
};

/** Checks values by a schema, in place. Throws `SchemaError` when the schema cannot be used. */
export function compileSchema(schema: JsonSchema, budget?: PatternBudget): (value: unknown) => ScorerResult {
  const validate = compile(schema, budget);

  return (value) => {
    const fits = run(validate, value);
    if (fits === null) {
      const reason = "the schema refers to itself without end, or the reply is nested too deeply";
      return { value: null, reason, failed: true };
    }
    if (fits) return { value: 1, reason: "fits the schema" };
    const [first] = validate.errors ?? [];
    const where = first?.instancePath === "" || !first ? "the reply" : shorten(first.instancePath);
    return { value: 0, reason: `${where} ${first?.message ?? "does not fit the schema"}` };
  };
}

function compile({ $schema, ...schema }: JsonSchema, budget: PatternBudget | undefined): ValidateFunction {
  try {
    // Asynchronous schemas return a promise, which is always truthy.
    if (Object.hasOwn(schema, "$async")) throw new SchemaError("$async is not supported");
    const Dialect = dialectOf($schema);
    checkAgainstMetaSchema(Dialect, schema);
    const code = { ...options.code, regExp: linearPatterns(budget) as never };
    const formats = { validateFormats: true, formats: { ...textFormats } };
    return new Dialect({ ...options, ...formats, code, validateSchema: false }).compile(schema);
  } catch (error) {
    throw new SchemaError(error instanceof Error ? error.message : "not a JSON schema", { cause: error });
  }
}

/** Why a schema does not follow its draft, else null. Much faster than compiling it, and without risk. */
export function schemaProblem({ $schema, ...schema }: JsonSchema): string | null {
  try {
    checkAgainstMetaSchema(dialectOf($schema), schema);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "not a JSON schema";
  }
}

type Dialect = typeof Ajv | typeof Ajv2019 | typeof Ajv2020;

/** Many generators still write draft 7, where tuples differ. */
function dialectOf(name: unknown): Dialect {
  if (typeof name === "string" && name.includes("draft-0")) return Ajv;
  return typeof name === "string" && name.includes("2019-09") ? Ajv2019 : Ajv2020;
}

// Compiling a meta-schema takes longer than most schemas, so it is cached. Every schema gets its own validator, so that none
// sees the names of another.
const metaValidators = new Map<Dialect, Ajv>();

function checkAgainstMetaSchema(dialect: Dialect, schema: object): void {
  const validator = metaValidators.get(dialect) ?? new dialect(options);
  metaValidators.set(dialect, validator);
  if (validator.validateSchema(schema) !== true) throw new SchemaError(`schema is invalid: ${validator.errorsText()}`);
}

/** Null on stack overflow: the schema refers to itself without end, or the reply is nested too deeply. */
function run(validate: (value: unknown) => unknown, value: unknown): boolean | null {
  try {
    return validate(value) === true;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Checks a format in linear time. */
type TextFormat = (text: string) => boolean;

const date = /^(\d{4})-(\d\d)-(\d\d)$/;
const time = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;
const duration = /^P(?:\d+W|(?=[\dT])(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;
const mailbox = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const hostLabel = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
const escaped = /%[\da-f]{2}/gi;
const authority = String.raw`(?:[\w\-.~!$&'()*+,;=:]*@)?(?:\[(?<ipv6>[\da-f:.]+)\]|[\w\-.~!$&'()*+,;=]*)(?::\d*)?(?![^/?#])`;
const uri = new RegExp(
  String.raw`^[a-z][a-z\d+.-]*:(?://${authority}|(?!//))[\w\-.~!$&'()*+,;=:@/]*(?:\?[\w\-.~!$&'()*+,;=:@/?]*)?(?:#[\w\-.~!$&'()*+,;=:@/?]*)?$`,
  "i",
);

/**
 * The supported formats of JSON Schema: dates and times by RFC 3339, the others by their own standards. Other formats are not
 * checked, as the standard requires for unknown names.
 */
const textFormats: Readonly<Record<string, TextFormat>> = {
  date: isDate,
  time: isTime,
  "date-time": (text) => isDate(text.slice(0, 10)) && /^t/i.test(text.slice(10)) && isTime(text.slice(11)),
  duration: (text) => duration.test(text),
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => ipv4.test(text),
  ipv6: isIpv6,
  uri: isUri,
  uuid: (text) => uuid.test(text),
};

function isDate(text: string): boolean {
  const [, year, month, day] = (date.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  // Leap years repeat every 400 years; `Date` maps years below 100 to the 20th century.
  const days = new Date(Date.UTC(2_000 + (year % 400), month, 0)).getUTCDate();
  return month >= 1 && month <= 12 && day >= 1 && day <= days;
}

function isTime(text: string): boolean {
  const found = time.exec(text);
  if (!found) return false;
  const [, hours, minutes, seconds, sign, offsetHours = 0, offsetMinutes = 0] = found;
  if (seconds !== "60") return true;
  // Leap seconds occur only at the end of a UTC day.
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -1 : 1);
  return (Number(hours) * 60 + Number(minutes) - offset + 1) % (24 * 60) === 0;
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const host = text.slice(at + 1);
  return at > 0 && mailbox.test(text.slice(0, at)) && host.includes(".") && !host.endsWith(".") && isHostname(host);
}

function isHostname(text: string): boolean {
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  return name.length <= 253 && name.split(".").every((label) => hostLabel.test(label));
}

function isIpv6(text: string): boolean {
  return /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`);
}

function isUri(text: string): boolean {
  const found = uri.exec(text.replace(escaped, "x"));
  const address = found?.groups?.["ipv6"];
  return found !== null && (address === undefined || isIpv6(address));
}
