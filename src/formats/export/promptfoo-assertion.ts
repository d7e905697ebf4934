import type { TurnCheck } from "../../contract/schemas/scorer-setting.ts";
import { toScriptPattern } from "./script-pattern.ts";

/** What draft 7 of JSON schema does not know. */
const laterKeyword =
  /"(?:prefixItems|(?:min|max)Contains|dependent(?:Required|Schemas)|unevaluated(?:Items|Properties)|\$(?:anchor|(?:dynamic|recursive)(?:Ref|Anchor)))":/;

/** A check of ours as an assertion of promptfoo, or undefined where none judges the same. Texts go through `literal`. */
export function toAssertion(check: TurnCheck, literal: (text: string) => string): object | undefined {
  const assertion = assertionOf(check, literal);
  return assertion && { ...assertion, ...(check.name !== undefined && { metric: check.name }) };
}

function assertionOf(check: TurnCheck, literal: (text: string) => string): object | undefined {
  switch (check.type) {
    case "contains": {
      const texts = [check.text].flat().map(literal);
      const several = texts.length === 1 ? "" : check.mode === "all" ? "-all" : "-any";
      const type = `${check.mode === "none" ? "not-" : ""}${check.ignore_case ? "i" : ""}contains${several}`;
      return { type, value: texts.length === 1 ? texts[0] : texts };
    }
    case "equals":
      return check.ignore_case
        ? undefined
        : { type: check.negate ? "not-equals" : "equals", value: literal(check.text) };
    case "regex": {
      // promptfoo has no flags.
      const pattern = check.ignore_case ? undefined : toScriptPattern(check.pattern);
      return pattern === undefined
        ? undefined
        : { type: check.negate ? "not-regex" : "regex", value: literal(pattern) };
    }
    case "json_schema": {
      // promptfoo reads every schema by draft 7, and breaks off at one that names another.
      const { $schema: _, ...schema } = check.schema;
      return laterKeyword.test(JSON.stringify(schema)) ? undefined : { type: "is-json", value: schema };
    }
    case "latency":
      return check.of === "reply" ? { type: "latency", threshold: check.max_ms } : undefined;
    case "cost":
      return { type: "cost", threshold: check.max };
    case "length":
      return check.unit === "words" ? { type: "word-count", value: { min: check.min, max: check.max } } : undefined;
    case "rubric":
      return check.choices ? undefined : { type: "llm-rubric", value: literal(check.text) };
    case "similarity":
    case "numeric":
      return undefined;
  }
}
