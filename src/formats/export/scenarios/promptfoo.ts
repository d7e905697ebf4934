import { compact } from "../../../base/compact.ts";
import { stringify } from "yaml";
import type { JsonRecord } from "../../../base/json.ts";
import type { SingleCheck, TurnCheck } from "../../../contract/schemas/scores/scorer-setting.ts";
import type { CodeTransform } from "../../../scoring/checks/check-fields.ts";
import { extrasKey, turnExtras, wholeExtras } from "../../shared/extras.ts";
import { toScriptPattern } from "../../shared/regex-dialects.ts";
import type { ExportResult, FileInteraction, FileScenario, Note } from "../../scenario-file.ts";
import { prettyJson } from "../../documents/serialize.ts";

/** A chat prompt that repeats the conversation so far, as promptfoo's documentation shows. */
const prompt = `[
  {% if system_prompt %}{"role": "system", "content": {{ system_prompt | dump }}},{% endif %}
  {% for completion in _conversation %}
  {"role": "user", "content": {{ completion.input | dump }}},
  {"role": "assistant", "content": {{ completion.output | dump }}},
  {% endfor %}
  {"role": "user", "content": {{ user_message | dump }}}
]
`;

/**
 * A promptfoo config with one test per turn. `conversationId` joins the turns of a scenario, reference replies become `similar`
 * assertions, and checks become equivalent assertions.
 */
export function exportPromptfoo(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const notes: Note[] = [];
  const tests = scenarios.flatMap((scenario) =>
    scenario.interactions.map((interaction, index) => toTest({ scenario, interaction, index, notes })),
  );
  const config = {
    description: "Scenarios exported from Rehearsal",
    prompts: [prompt],
    // The echo provider makes the file run unchanged; replace it with your own target.
    providers: ["echo"],
    tests,
  };
  const text =
    ending === "json" ? prettyJson(config) : stringify(config, { lineWidth: 0, aliasDuplicateObjects: false });
  return { text, notes };
}

interface TestSource {
  readonly scenario: FileScenario;
  readonly interaction: FileInteraction;
  readonly index: number;
  readonly notes: Note[];
}

function toTest({ scenario, interaction, index, notes }: TestSource): object {
  const { user_message, reference_reply, references = [], checks = [] } = interaction;
  const { description, system_prompt, tags } = scenario;
  const expected = [reference_reply, ...references].map(literal);
  const asserts =
    reference_reply === "" ? [] : [{ type: "similar", value: expected.length === 1 ? expected[0] : expected }];
  const checked: object[] = checks.flatMap((check) => {
    const assertion = toAssertion(check, literal);
    if (!assertion)
      notes.push({
        kind: "changed",
        message: `${scenario.id}, turn ${index + 1}: promptfoo has no equivalent of the check ${check.type}; it is kept for re-import`,
      });
    return assertion ?? [];
  });
  const whole =
    index === 0 &&
    compact({
      description: description !== "" ? description : undefined,
      tags,
      ...wholeExtras(scenario),
    });
  const tools = [...new Set((interaction.reference_tool_calls ?? []).map(({ name }) => name))];
  if (tools.length > 0) checked.push({ type: "tool-call-f1", value: tools });
  return compact({
    description: `${scenario.id}, turn ${index + 1}`,
    vars: compact({
      user_message: literal(user_message),
      system_prompt: system_prompt !== undefined ? literal(system_prompt) : undefined,
    }),
    assert: asserts.length + checked.length > 0 ? [...asserts, ...checked] : undefined,
    metadata: { conversationId: scenario.id, [extrasKey]: { ...whole, turn: turnExtras(interaction) } },
  });
}

/**
 * Protects text from promptfoo, which fills templates, reads `file://` references and removes a trailing line break: such parts become
 * template values. A raw block would not work: promptfoo looks for variables inside it and sends the block itself if there are none.
 */
function literal(text: string): string {
  const begin = /^(file|package|https?):\/\//.test(text) ? value("") : "";
  const end = text.endsWith("\n") ? value("") : "";
  return `${begin}${text.replace(/\{(?=[{%#])|#(?=\})/g, value)}${end}`;
}

const value = (text: string): string => `{{ "${text}" }}`;

/** Keywords that are newer than draft 7 of JSON Schema. */
const laterKeyword =
  /"(?:prefixItems|(?:min|max)Contains|dependent(?:Required|Schemas)|unevaluated(?:Items|Properties)|\$(?:anchor|(?:dynamic|recursive)(?:Ref|Anchor)))":/;

/** Converts a check to an equivalent promptfoo assertion; undefined if there is none. Texts go through `literal`. */
export function toAssertion(check: TurnCheck, literal: (text: string) => string): object | undefined {
  const common = compact({
    metric: check.name,
    weight: check.weight,
  });
  if (check.type === "group") {
    const assert = check.checks.map((member) => toAssertion(member, literal));
    if (assert.includes(undefined)) return undefined;
    const { threshold } = check;
    return compact({ type: "assert-set", assert, threshold, ...common });
  }
  const [transform, ...further] = check.transform ?? [];
  const convert = assertions[check.type] as ToAssertion<SingleCheck> | undefined;
  const assertion = further.length > 0 ? undefined : convert?.(check, literal);
  const code = transform && transformText(transform);
  if (!assertion || (transform && code === undefined)) return undefined;
  return {
    ...assertion,
    ...(check.negate && { type: `not-${assertion.type}` }),
    ...(code !== undefined && { transform: code }),
    ...common,
  };
}

const transformText = ({ language, code, file, function: name }: CodeTransform): string | undefined =>
  file !== undefined
    ? `file://${file}${name === undefined ? "" : `:${name}`}`
    : language === "javascript"
      ? code
      : undefined;

type Assertion = { readonly type: string } & JsonRecord;

type ToAssertion<Check> = (check: Check, literal: (text: string) => string) => Assertion | undefined;

/** The assertions that mean the same as a check. Checks that are not here have none. */
const assertions: { readonly [Type in SingleCheck["type"]]?: ToAssertion<Extract<SingleCheck, { type: Type }>> } = {
  contains(check, literal) {
    if (check.negate === true && check.mode === "none") return undefined;
    const texts = [check.text].flat().map(literal);
    const several = texts.length === 1 ? "" : check.mode === "all" ? "-all" : "-any";
    const type = `${check.mode === "none" ? "not-" : ""}${check.ignore_case ? "i" : ""}contains${several}`;
    return { type, value: texts.length === 1 ? texts[0] : texts };
  },
  equals: ({ type, text, ignore_case }, literal) => (ignore_case ? undefined : { type, value: literal(text) }),
  regex({ type, pattern, ignore_case }, literal) {
    // promptfoo patterns have no flags.
    const script = ignore_case ? undefined : toScriptPattern(pattern);
    return script === undefined ? undefined : { type, value: literal(script) };
  },
  json_schema(check) {
    // promptfoo validates with draft 7 and fails on a schema that names another draft.
    const { $schema: _, ...schema } = check.schema;
    if (laterKeyword.test(JSON.stringify(schema))) return undefined;
    return { type: check.anywhere ? "contains-json" : "is-json", value: schema };
  },
  latency: ({ type, of, max_ms }) => (of === "reply" ? { type, threshold: max_ms } : undefined),
  cost: ({ type, max }) => ({ type, threshold: max }),
  length: ({ unit, min, max }) => (unit === "words" ? { type: "word-count", value: { min, max } } : undefined),
  rubric({ text, choices, threshold }, literal) {
    if (choices) return undefined;
    return compact({ type: "llm-rubric", value: literal(text), threshold });
  },
  similarity({ metric, reference, threshold }, literal) {
    const type = overlapTypes[metric];
    if (type === undefined || reference === undefined || threshold === undefined) return undefined;
    const texts = [reference].flat().map(literal);
    return { type, value: texts.length === 1 ? texts[0] : texts, threshold };
  },
  edit_distance: ({ reference, max }, literal) => ({ type: "levenshtein", value: literal(reference), threshold: max }),
  xml: ({ anywhere, elements }) =>
    compact({
      type: anywhere ? "contains-xml" : "is-xml",
      value: elements,
    }),
  finish_reason: ({ reason }) => ({ type: "finish-reason", value: reason }),
  valid_tool_calls: () => ({ type: "is-valid-openai-tools-call" }),
  javascript: codeAssertion,
  python: codeAssertion,
};

function codeAssertion({
  type,
  code,
  file,
  function: name,
  threshold,
  config,
}: Extract<SingleCheck, { type: CodeTransform["language"] }>): Assertion {
  return compact({
    type,
    value: file === undefined ? code : `file://${file}${name === undefined ? "" : `:${name}`}`,
    threshold,
    config,
  });
}

const overlapTypes: Readonly<Record<string, string>> = {
  rouge_1: "rouge-n",
  bleu: "bleu",
  gleu: "gleu",
  semantic: "similar",
};
