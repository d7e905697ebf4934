import fc from "fast-check";
import type { TurnCheck } from "../../contract/schemas/scores/scorer-setting.ts";
import type { FileScenario } from "../scenario-file.ts";

/** Texts that are hard for file formats. */
const nasty = fc.constantFrom(
  "=1+1",
  "'=1+1",
  "-5",
  "+49 30 1234",
  "@all",
  "\tindented",
  "a,b;c|d",
  'He said "no"',
  "line\nbreak",
  "a last line\n",
  "carriage\rreturn",
  "both\r\nof them",
  "\0nul\0",
  "\u202Ertl\u202C שלום",
  "👩‍👩‍👧 e\u0301",
  "{{ name }} {% if x %} {# note #}",
  "{% raw %}x",
  "file:///etc/passwd",
  "https://example.test/",
  "- item",
  "key: value # not a comment",
  "---",
  "...",
  "null",
  "~",
  "1e3",
  "[]",
  "{}",
  "  padded  ",
  "\uFEFFbom",
  "\u2028\u2029\u0085",
  "<b>&amp;</b> ]]>",
  "'",
  "''",
  "|",
  ">",
  "`code` | cell",
);

const text = fc.oneof(
  { weight: 2, arbitrary: nasty },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  fc.lorem({ maxCount: 4 }),
);
const filled = text.filter((value) => value !== "");
const id = fc
  .oneof(nasty, fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }))
  .map((value) => `x${value.replace(/\p{Cc}/gu, "")}`);
const key = fc.oneof(
  fc.constantFrom("intent", "sentiment", "answer", "turn", "a b", "größe", "=x", "'"),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
);
const json = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom("a", "b"), text, { maxKeys: 2 }),
);
const labels = fc
  .dictionary(key, json, { maxKeys: 3, noNullPrototype: true })
  .map((record) =>
    Object.fromEntries(
      Object.entries(record).filter(([name]) => !["__proto__", "constructor", "prototype"].includes(name)),
    ),
  );

const seen = text.filter((value) => value.trim() !== "");
const check = fc.oneof(
  fc.record({
    type: fc.constant("contains"),
    text: fc.oneof(seen, fc.array(seen, { minLength: 1, maxLength: 3 })),
    mode: fc.constantFrom("all", "any", "none"),
    ignore_case: fc.boolean(),
  }),
  fc.record({
    type: fc.constant("regex"),
    pattern: fc.constantFrom("\\b\\d{5}\\b", "(?-m)^yes$", "^no", "{{ name }}", "a|b,c"),
    ignore_case: fc.boolean(),
    negate: fc.boolean(),
    name: fc.constantFrom("order_number", "Tone"),
  }),
  fc.record({
    type: fc.constant("json_schema"),
    schema: fc.constantFrom({}, { type: "object", required: ["{{ id }}"] }),
  }),
  fc.record({ type: fc.constant("equals"), text, ignore_case: fc.boolean(), negate: fc.boolean() }),
  fc.record({ type: fc.constant("similarity"), metric: fc.constant("rouge_l"), reference: filled }),
  fc.record({ type: fc.constant("rubric"), text: seen }),
  fc.record({ type: fc.constant("length"), max: fc.nat(), unit: fc.constantFrom("words", "characters") }),
  fc.record({ type: fc.constant("latency"), max_ms: fc.nat(), of: fc.constantFrom("reply", "first_token") }),
) as fc.Arbitrary<TurnCheck>;

const value = fc.oneof(
  json,
  fc.constantFrom<unknown>({ $regex: "^a" }, { $one_of: ["a", 1] }, { $absent: true }, { deep: { $any: true } }),
);
const toolName = fc.constantFrom("get_order", "orders.cancel", "mcp:find/one");
const argumentsOf = (values: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.constantFrom("id", "order id", "größe"), values, { maxKeys: 2, noNullPrototype: true });
const call = fc.record({ name: toolName, arguments: argumentsOf(value) }, { requiredKeys: ["name"] });

const world = fc.record(
  {
    state: fc.dictionary(fc.constantFrom("a", "b"), json, { maxKeys: 2, noNullPrototype: true }),
    tools: fc.constant(
      ["get_order", "orders.cancel", "mcp:find/one"].map((name) => ({
        name,
        description: "{{ not a template }}",
        parameters: { type: "object", properties: { id: { type: "string" } } },
      })),
    ),
    recorded: fc.array(
      fc.oneof(
        fc.record({ name: toolName, arguments: argumentsOf(json), result: json }),
        fc.record({ name: toolName, arguments: argumentsOf(json), error: text }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  },
  { requiredKeys: ["tools", "recorded"] },
);
const matching = fc.record({ order: fc.constantFrom("any", "strict"), text: fc.constantFrom("exact", "loose") });
const expectation = fc.record({
  said: fc.array(filled, { minLength: 1, maxLength: 2 }),
  must_not_call: fc.array(toolName, { minLength: 1 }),
});

const interaction = fc.record(
  {
    user_message: text,
    agent_reply: fc.oneof(fc.constant(""), text),
    reference_reply: fc.oneof(fc.constant(""), filled),
    references: fc.array(text, { minLength: 1, maxLength: 2 }),
    interaction_type: filled,
    reference_metadata: labels,
    generated_metadata: fc.oneof(fc.constant({}), labels),
    checks: fc.array(check, { minLength: 1, maxLength: 3 }),
    reference_tool_calls: fc.array(call, { maxLength: 3 }),
    context: fc.array(fc.record({ text: filled, id: filled, score: fc.integer() }, { requiredKeys: ["text"] }), {
      minLength: 1,
      maxLength: 2,
    }),
  },
  { requiredKeys: ["user_message", "agent_reply", "reference_reply", "reference_metadata", "generated_metadata"] },
);

const scenario = fc.record(
  {
    id,
    description: text,
    interactions: fc.array(interaction, { minLength: 1, maxLength: 4 }),
    tags: fc.array(filled, { minLength: 1, maxLength: 3 }),
    system_prompt: filled,
    metadata: labels.filter((record) => Object.keys(record).length > 0),
    world,
    tool_matching: matching,
    expect: expectation,
  },
  { requiredKeys: ["id", "description", "interactions"] },
);

/** Valid scenarios with unique ids and texts that are hard for file formats. */
export const arbitraryScenarios: fc.Arbitrary<FileScenario[]> = fc
  .uniqueArray(scenario, { minLength: 1, maxLength: 4, selector: (entry) => entry.id })
  .map((entries) =>
    entries.map((entry) => ({
      ...entry,
      interactions: entry.interactions.map((turn, index) => ({ id: `q${index}`, ...turn })),
    })),
  ) as fc.Arbitrary<FileScenario[]>;
