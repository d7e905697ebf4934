import fc, { type Arbitrary } from "fast-check";
import type { JsonValue } from "./schema-values.ts";

type Fields = Readonly<Record<string, Arbitrary<unknown>>>;

const text = fc.oneof(
  fc.constantFrom("Hello", "42 apples", "a\u0000b", "\ud800", "", "```json\n{}\n```", "No."),
  fc.string({ maxLength: 20 }),
);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const letters = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/);

/** An object with any of these fields. */
const some = (fields: Fields, requiredKeys: string[] = []): Arbitrary<JsonValue> =>
  fc.record(fields, { requiredKeys, noNullPrototype: true }) as Arbitrary<JsonValue>;
const always = fc.constant;

const scorers = fc.array(
  fc.oneof(
    fc.constantFrom("exact_match", "token_f1", "rouge_l", "edit_similarity", "chrf", "metadata_match", "no_such"),
    some(
      {
        type: always("contains"),
        name: letters,
        text: fc.oneof(letters, fc.array(letters)),
        ignore_case: fc.boolean(),
      },
      ["type", "text"],
    ),
    some({ type: always("equals"), text: letters, ignore_case: fc.boolean(), negate: fc.boolean() }, ["type", "text"]),
    some(
      {
        type: always("similarity"),
        metric: fc.constantFrom("token_f1", "rouge_l", "edit_similarity", "chrf"),
        reference: letters,
        threshold: share,
      },
      ["type", "metric"],
    ),
    some(
      {
        type: always("regex"),
        pattern: fc.constantFrom("^(a+)+$", "(?i)hello", "(?=a)", "(", "\\p{L}+", ".*"),
        negate: fc.boolean(),
      },
      ["type", "pattern"],
    ),
    some(
      {
        type: always("json_schema"),
        schema: fc.constantFrom({}, { type: "object" }, { type: "nope" }, { $ref: "#/x" }),
      },
      ["type", "schema"],
    ),
    some(
      {
        type: always("numeric"),
        expected: fc.double({ noNaN: true, noDefaultInfinity: true }),
        tolerance: share,
        relative: fc.boolean(),
      },
      ["type"],
    ),
    some({ type: always("length"), min: fc.nat(20), max: fc.nat(20), unit: fc.constantFrom("characters", "words") }, [
      "type",
    ]),
    some({ type: always("latency"), max_ms: fc.nat(), of: fc.constantFrom("reply", "first_token") }, [
      "type",
      "max_ms",
    ]),
    some({ type: always("cost"), max: share }, ["type", "max"]),
  ),
  { maxLength: 4 },
);

const choices = fc.dictionary(letters, share, { minKeys: 2, maxKeys: 4, noNullPrototype: true });
const rubrics = fc.uniqueArray(
  fc.record(
    { name: letters, text: fc.constant("Is it polite?"), weight: fc.nat(3), choices },
    { requiredKeys: ["name", "text"], noNullPrototype: true },
  ),
  { selector: ({ name }) => name, minLength: 1, maxLength: 2 },
);
const judge = fc.oneof(
  some({
    rubric: always("Is it right?"),
    votes: fc.integer({ min: 1, max: 2 }),
    scope: fc.constantFrom("turn", "conversation"),
    choices,
  }),
  some({ rubrics, votes: always(1) }, ["rubrics"]),
);

const interaction = some(
  {
    user_message: text,
    reference_reply: text,
    references: fc.array(text, { maxLength: 2 }),
    reference_metadata: fc.dictionary(
      fc.constantFrom("intent", "sentiment", "score"),
      fc.oneof(text, fc.integer(), fc.boolean(), always(null)),
      { noNullPrototype: true },
    ),
  },
  ["user_message"],
);
const batch = fc
  .tuple(fc.array(interaction, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 2 }))
  .map(([turns, scenarios]) => {
    const interactions = turns.map((turn, index) => ({ id: String(index), ...(turn as object) }));
    const list = Array.from({ length: scenarios }, (_, index) => ({ id: `s${index}`, interactions }));
    return list.length === 1 ? list[0] : list;
  });

/** Bodies of POST /evaluate that use every option, in ways that mostly make sense together. */
export const evaluationBodies = (endpoint: string): Arbitrary<JsonValue> =>
  some(
    {
      test_batch: batch,
      endpoint: always(endpoint),
      model_id: fc.constantFrom("m", "judge", "x/y"),
      attempts: fc.integer({ min: 1, max: 2 }),
      history: fc.constantFrom("generated", "reference", "both"),
      on_failure: fc.constantFrom("continue", "stop"),
      scorers,
      judge,
      labeller: some({ endpoint: always(endpoint), model_id: always("labeller") }, ["model_id"]),
      label_rules: fc.dictionary(fc.constantFrom("intent", "score"), some({ tolerance: share, ignore: fc.boolean() }), {
        noNullPrototype: true,
      }),
      budget: some({
        calls: fc.integer({ min: 1, max: 4 }),
        tokens: fc.integer({ min: 1, max: 100 }),
        money: always(0.01),
        seconds: always(5),
      }),
      gate: some({ scores: always({ overall: 0.5 }), max_failure_rate: share, min_pass_rate: share }),
      weights: fc.constantFrom({ success: 1 }, { exact_match: 2, "metadata.intent": 1 }, { unknown: 1 }),
      threshold: share,
      replay_first_bad_turn: fc.boolean(),
      protocol: fc.constantFrom("openai-chat", "openai-responses", "anthropic-messages", "agent"),
      tags: fc.array(text, { maxLength: 2 }),
    },
    ["test_batch", "endpoint", "model_id"],
  );

/** Bodies of POST /judges/audit. */
export const auditBodies: Arbitrary<JsonValue> = some(
  {
    judge: some({ rubric: always("Is it right?"), votes: always(1) }),
    items: fc.array(
      some(
        { user_message: text, reply: text, reference_reply: text, human: fc.constantFrom("pass", "partial", "fail") },
        ["user_message", "reply", "human"],
      ),
      { minLength: 1, maxLength: 3 },
    ),
    repeats: fc.integer({ min: 1, max: 2 }),
  },
  ["judge", "items"],
);
