import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import { unwrapFence } from "../../text/unwrap-fence.ts";
import { shorten } from "../short-list.ts";
import type { Check } from "./check.ts";
import { compilePattern } from "./compile-pattern.ts";
import type { PatternSizes } from "./pattern-sizes.ts";
import { textFormats } from "./text-formats.ts";

type Setting = Extract<UserScorerSetting, { type: "json_schema" }>;

/** The schema cannot be used. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

const maximumLength = 1_000_000;

// Schemas come with requests: their patterns run on the linear engine, and nothing is ever fetched.
// Ajv tells patterns apart by their text. In a schema `^` and `$` are the ends of the whole text.
const linearPatterns = (sizes?: PatternSizes) =>
  Object.assign(
    (pattern: string) => ({ ...compilePattern(pattern, { lines: false, sizes }), toString: () => pattern }),
    { code: "linearPatterns" },
  );
const options: Options = {
  strict: false,
  validateFormats: false,
  // Every object has a "constructor" unless one asks for its own.
  ownProperties: true,
  logger: false,
  // 19.99 is a multiple of 0.01 for everybody but a computer.
  multipleOfPrecision: 6,
  // Written out once and called, however often it is referred to: a part put in at every place makes gigabytes of a small schema.
  inlineRefs: false,
  code: { regExp: linearPatterns() as never, optimize: false },
};

/**
 * 1 when the reply is JSON that fits the schema: of the draft that `$schema` names (7 for those before it), else of 2020-12. Whoever
 * checks a reply by a `format` means it, whether or not the draft has it checked. A reply that is one fenced code block is unwrapped first.
 */
export function jsonSchema({ schema }: Setting, sizes?: PatternSizes): Check {
  const validate = compile(schema, sizes);

  return ({ reply }) => {
    if (reply.raw.length > maximumLength)
      return { value: null, reason: `longer than ${maximumLength} characters`, failed: true };
    const parsed = parse(unwrapFence(reply.raw));
    if (!parsed.ok) return { value: 0, reason: "the reply is not JSON" };
    const fits = run(validate, parsed.value);
    if (fits === null) {
      const reason = "the schema goes round in circles, or the reply is nested too deep";
      return { value: null, reason, failed: true };
    }
    if (fits) return { value: 1, reason: "fits the schema" };
    const [first] = validate.errors ?? [];
    const where = first?.instancePath === "" || !first ? "the reply" : shorten(first.instancePath);
    return { value: 0, reason: `${where} ${first?.message ?? "does not fit the schema"}` };
  };
}

function compile({ $schema, ...schema }: Setting["schema"], sizes: PatternSizes | undefined): ValidateFunction {
  try {
    // Asynchronous schemas would answer with a promise, which is always true.
    if (Object.hasOwn(schema, "$async")) throw new SchemaError("$async is not supported");
    const Dialect = dialectOf($schema);
    checkForm(Dialect, schema);
    const code = { ...options.code, regExp: linearPatterns(sizes) as never };
    const formats = { validateFormats: true, formats: { ...textFormats } };
    return new Dialect({ ...options, ...formats, code, validateSchema: false }).compile(schema);
  } catch (error) {
    throw new SchemaError(error instanceof Error ? error.message : "not a JSON schema", { cause: error });
  }
}

type Dialect = typeof Ajv | typeof Ajv2019 | typeof Ajv2020;

/** Generators still write draft 7, in which tuples have another form. */
function dialectOf(name: Setting["schema"][string] | undefined): Dialect {
  if (typeof name === "string" && name.includes("draft-0")) return Ajv;
  return typeof name === "string" && name.includes("2019-09") ? Ajv2019 : Ajv2020;
}

// What a schema itself must fit takes longer to compile than most schemas: it is compiled once. Each schema has a validator of
// its own, so that none sees the names of another.
const forms = new Map<Dialect, Ajv>();

function checkForm(dialect: Dialect, schema: object): void {
  const form = forms.get(dialect) ?? new dialect(options);
  forms.set(dialect, form);
  if (form.validateSchema(schema) !== true) throw new SchemaError(`schema is invalid: ${form.errorsText()}`);
}

/** Null when the call stack was used up: by a schema that refers to itself without end, or by a reply that is nested too deep. */
function run(validate: (value: unknown) => unknown, value: unknown): boolean | null {
  try {
    return validate(value) === true;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function parse(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}
