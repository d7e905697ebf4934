import fc from "fast-check";
import { expect, test } from "vitest";
import { prepareText } from "../text/prepare-text.ts";
import { builtInScorers, type ScorerName } from "./scores.ts";

const replyScorers = ["exact_match", "token_f1", "rouge_l", "edit_similarity", "chrf"] as const satisfies ScorerName[];

function score(name: ScorerName, reply: string, ...references: string[]) {
  const [first] = builtInScorers[name]({
    reply: prepareText(reply),
    references: references.map(prepareText),
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set(),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
  });
  if (!first) throw new Error("no score");
  return first;
}

test.each(replyScorers)("%s is 1 for the same text, ignoring case and white space", (name) => {
  expect(score(name, "  Your ORDER\nships today ", "your order ships today").value).toBe(1);
});

test.each(replyScorers)("%s is 1 for the same text with straight and with curly quotes", (name) => {
  expect(score(name, "It’s “fine”, I don’t mind.", `It's "fine", I don't mind.`).value).toBe(1);
});

test.each(replyScorers)("%s has no value without a reference", (name) => {
  expect(score(name, "anything")).toEqual({ name, value: null, reason: "no reference reply" });
});

test.each(replyScorers)("%s: both empty is 1, one empty is 0", (name) => {
  expect(score(name, "", "").value).toBe(1);
  expect(score(name, "word", "").value).toBe(0);
  expect(score(name, "", "word").value).toBe(0);
});

test.each(replyScorers)("%s counts the best reference", (name) => {
  expect(score(name, "yes of course", "certainly not", "Yes of course").value).toBe(1);
});

test.each(replyScorers)("%s distinguishes thumbs up from thumbs down", (name) => {
  expect(score(name, "👍", "👎").value).toBe(0);
});

test.each(replyScorers)("%s stays within 0..1 for any two texts", (name) => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (reply, reference) => {
      const { value } = score(name, reply, reference);
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
    }),
    { numRuns: 50 },
  );
});

test.each(replyScorers)("%s does not block on enormous texts", (name) => {
  const value = score(name, "ab ".repeat(150_000), "cd ".repeat(150_000)).value;
  expect([0, null]).toContain(value);
});

test.each(["exact_match", "token_f1", "rouge_l", "edit_similarity"] as const)(
  "%s recognizes the same text of any length",
  (name) => {
    const text = "word ".repeat(70_000);
    expect(score(name, text, text.toUpperCase()).value).toBe(1);
    expect(score(name, text, `${text} more`).value).not.toBe(1);
  },
);

test("token_f1 and rouge_l have their defined values", () => {
  const [reply, reference] = ["Your order ships on Monday", "Your order does not ship on Monday"];
  expect(score("token_f1", reply, reference).value).toBeCloseTo(8 / 12, 12);
  expect(score("rouge_l", reply, reference).value).toBeCloseTo(8 / 12, 12);
  expect(score("token_f1", "b a", "a b").value).toBe(1);
  expect(score("rouge_l", "b a", "a b").value).toBe(0.5);
  expect(score("token_f1", "a a a", "a b").value).toBeCloseTo(2 / 5, 12);
});

test("edit_similarity counts code points", () => {
  // The textbook pair of words (see sequence-distance.test.ts).
  expect(score("edit_similarity", "kitten", "sitting").value).toBeCloseTo(1 - 3 / 7, 12);
  expect(score("edit_similarity", "😀😀😀😀", "😀😀😀😁").value).toBe(0.75);
});

test("compares languages without spaces by words", () => {
  expect(score("token_f1", "您的订单明天到", "您的订单今天到").value).toBeGreaterThan(0.5);
});

test("reasons name missing words briefly", () => {
  expect(score("token_f1", "your order ships", "Your refund ships Friday").reason).toBe(
    "2 of 4 reference words found among 3; missing: refund, friday",
  );
  expect(score("exact_match", "a b", "a c").reason).toBe('differs at word 2: "b", expected "c"');
  // Singular.
  expect(
    (["token_f1", "rouge_l", "edit_similarity"] as const).map((name) => score(name, "hallo", "hello").reason),
  ).toEqual([
    "0 of 1 reference word found among 1; missing: hello",
    "0 of 1 reference word in the same order among 1",
    "1 edit over 5 characters",
  ]);
  const many = Array.from({ length: 500 }, (_, index) => `${"long".repeat(50)}${index}`).join(" ");
  expect(score("token_f1", "x", many).reason?.length).toBeLessThan(250);
});

// sacreBLEU 2.6.0: CHRF().sentence_score(reply, [reference]).score / 100
test.each([
  ["your order ships on monday", "your order ships on tuesday", 0.7078595136757655],
  ["hello! how can i help you today?", "hi, how may i help you?", 0.4107299859625879],
  ["refund approved", "refund rejected", 0.3369278869278869],
  ["ab", "abc", 0.6363636363636362],
  ["abc", "xyz", 0],
  ["the cat sat on the mat", "the cat is on the mat, and the dog is not", 0.3606908141857927],
  ["您好,请问需要什么帮助", "您好,请问需要什么服务", 0.7544853294853295],
  ["👍 ok", "👎 ok", 0.38888888888888884],
  ["aaaaaaaa", "aaaa", 0.7422630560928433],
])("chrf of %j against %j matches sacreBLEU", (reply, reference, expected) => {
  expect(score("chrf", reply, reference).value).toBeCloseTo(expected, 12);
});

// rouge-score 0.1.2, RougeScorer(["rouge1", "rougeL"], use_stemmer=False), fmeasure.
test.each([
  [
    "your refund of 25 dollars will arrive on friday morning",
    "the refund of 25 dollars arrives on friday",
    2 / 3,
    2 / 3,
  ],
  ["we are open from nine to six on weekdays", "on weekdays the shop is open from nine to six", 14 / 19, 10 / 19],
])("token_f1 and rouge_l of %j match rouge-score", (reply, reference, rouge1, rougeL) => {
  expect(score("token_f1", reply, reference).value).toBeCloseTo(rouge1, 12);
  expect(score("rouge_l", reply, reference).value).toBeCloseTo(rougeL, 12);
});

test.each(["rouge_l", "edit_similarity", "chrf"] as const)(
  "%s compares a long reply with some references, not with tens of thousands",
  (name) => {
    const reply = "parcel arrives ".repeat(1_500);
    expect(score(name, reply, ...Array.from({ length: 5 }, (_, index) => `parcel ${index}`)).value).toBeGreaterThan(0);
    const many = Array.from({ length: 150_000 }, (_, index) => `parcel ${index}`);
    const { value, reason } = builtInScorers[name]({
      reply: prepareText(reply),
      references: many.map(prepareText),
      generated_metadata: {},
      reference_metadata: {},
      unjudged_keys: new Set(),
      call: { latency_ms: 0, first_token_ms: null, cost: null },
    })[0] ?? { value: 1 };
    expect(value).toBeNull();
    expect(reason).toMatch(/^too long to compare: .*150000 references$/);
  },
);
