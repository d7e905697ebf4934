import { expect, test } from "vitest";
import type { LabelRule } from "../../scoring/scorers/label-rule.ts";
import { Interaction, type Scenario } from "../../contract/schemas/scenario.ts";
import { prepareText } from "../../scoring/text/prepare-text.ts";
import { labelCandidates } from "./label-candidates.ts";
import { createLocalLabeller, loadSentimentReader, sentimentLabel } from "./local-labeller.ts";

type Labelled = readonly [label: string, reference: string];

function scenarioOf(key: string, labelled: readonly Labelled[]): Scenario {
  const interactions = labelled.map(([label, reference_reply], index) =>
    Interaction.parse({
      id: `${index}`,
      user_message: "",
      reference_reply,
      interaction_type: "opening",
      reference_metadata: { [key]: label },
    }),
  );
  return { id: "s", description: "", tags: [], interactions };
}

/** Labels a reply as if it answered the interaction at `position`. */
function labellerOf(key: string, labelled: readonly Labelled[], aliases?: LabelRule["aliases"]) {
  const candidates = labelCandidates([scenarioOf(key, labelled)]);
  const label = createLocalLabeller({ candidates, label_rules: aliases && { [key]: { aliases } } });
  return (reply: string, position = 0) => {
    const own = { interaction_id: `${position}`, references: [prepareText(labelled[position]?.[1] ?? "")] };
    return label({ key, reply: prepareText(reply), own });
  };
}

const sentiments: Labelled[] = [
  ["positive", "x"],
  ["negative", "x"],
  ["neutral", "x"],
  ["mixed", "x"],
];

test.each([
  ["positive", "Great news, your refund has been approved!"],
  ["positive", "Hello! How can I help you today?"],
  ["positive", "No problem at all, happy to help!"],
  ["positive", "Not bad at all!"],
  ["negative", "I'm sorry, your payment was declined and the order was cancelled."],
  ["negative", "Unfortunately we cannot process your refund."],
  ["negative", "Your request was rejected."],
  ["negative", "That does not work well and I am not happy."],
  ["neutral", "Please enter your postcode."],
  ["neutral", "It takes three to five working days."],
  ["neutral", "Which size would you like?"],
  ["neutral", "Your order number is 48213."],
  ["mixed", "I love the design, but the battery is terrible."],
  ["mixed", "Thanks for waiting. Sadly, your order was cancelled."],
  ["unknown", "Votre commande est arrivée hier soir chez nous"],
  ["unknown", "你好，你的订单到了"],
])("reads %s from %j", async (expected, reply) => {
  expect((await labellerOf("tone", sentiments)(reply))?.value).toBe(expected);
});

test("may answer a sentiment the batch does not use, except mixed; spelling follows the batch", async () => {
  const label = labellerOf("sentiment", [["Positive", "x"]]);
  expect((await label("This is terrible and very disappointing."))?.value).toBe("negative");
  expect((await label("I love the design, but the battery is terrible."))?.value).not.toBe("mixed");
  expect((await label("Wonderful, thank you!"))?.value).toBe("Positive");
});

const intents: Labelled[] = [
  ["greeting", "Hello! How can I help you today?"],
  ["order_status", "Your order shipped yesterday and will arrive on Friday."],
  ["refund_request", "I've issued a refund of $25 to your card; allow 5 days."],
  ["farewell", "Have a great day, goodbye!"],
  ["technical_support", "Please restart the router and try again."],
  ["store_hours", "We are open from nine to six, Monday to Saturday."],
];

test.each([
  [0, "Good afternoon, how may I assist you?"],
  [1, "Your package is out for delivery, order #3321 arrives today."],
  [2, "Sure, your refund is being processed."],
  [3, "Take care and goodbye."],
  [4, "Could you restart your router, please?"],
  [5, "We're open Monday through Saturday."],
] as const)("finds the intent of reply %i: %j", async (position, reply) => {
  expect((await labellerOf("intent", intents)(reply, position))?.value).toBe(intents[position]?.[0]);
});

test("labels a reply with its actual intent, not the expected one", async () => {
  expect((await labellerOf("intent", intents)("Goodbye, have a great day!", 0))?.value).toBe("farewell");
});

test.each(["Paris is the capital of France.", "42", "As a language model I can write poems about the sea."])(
  "%j is unknown",
  async (reply) => {
    expect((await labellerOf("intent", intents)(reply))?.value).toBe("unknown");
  },
);

test("a single candidate does not win by default, not even for a reply similar to its own reference", async () => {
  const label = labellerOf("topic", [["animals", "The zebra crosses the road."]]);
  expect((await label("The zebra crosses the wide road."))?.value).toBe("unknown");
  expect((await labellerOf("intent", [["greeting", "Hi"]])("Your refund has been issued."))?.value).toBe("unknown");
});

test("a foreign reply does not count against a single candidate", async () => {
  const greeting = labellerOf("intent", [["greeting", "¡Hola! ¿En qué puedo ayudarte?"]]);
  expect(await greeting("¡Hola! ¿Cómo puedo ayudarte hoy?")).toMatchObject({ value: "unknown", unreadable: true });
  expect(await greeting("Your refund has been issued.")).not.toHaveProperty("unreadable");
  const twice = labellerOf("intent", [
    ["greeting", "¡Hola! ¿En qué puedo ayudarte?"],
    ["greeting", "Buenos días, ¿qué necesita?"],
  ]);
  expect(await twice("Su pedido llegará el viernes por la tarde.")).not.toHaveProperty("unreadable");
});

test.each(["The zebra crosses the road.", "the ZEBRA  crosses the road"])(
  "%j gets the label of an equal reference, even its own",
  async (reply) => {
    const label = labellerOf("topic", [["animals", "The zebra crosses the road."]]);
    expect(await label(reply)).toEqual({
      value: "animals",
      method: "same text as a labelled reference",
      confidence: 1,
    });
    const another = labellerOf("topic", [
      ["weather", "It rains."],
      ["animals", "The zebra crosses the road."],
    ]);
    expect((await another(reply, 0))?.value).toBe("animals");
  },
);

const longReference =
  "Thank you for waiting. Your replacement parcel left our warehouse this morning and the courier will bring it to your door on Friday between nine and noon.";

test("a long reply may differ in one word of twenty and still be nearly the same text", async () => {
  const label = labellerOf("topic", [["delivery", longReference]]);
  expect(await label(longReference.replace("noon", "eleven"))).toMatchObject({
    value: "delivery",
    method: "nearly the same text as a labelled reference",
  });
  expect((await label(longReference.replace(/parcel|warehouse|courier|door/gu, "zebra")))?.method).not.toContain(
    "same text",
  );
});

test("a reply of thousands of words gets the label of an equal text only", async () => {
  const reference = `${"we pack it today ".repeat(1_500)}and send it`;
  const label = labellerOf("topic", [["delivery", reference]]);
  expect((await label(reference))?.method).toBe("same text as a labelled reference");
  expect((await label(`${reference} now`))?.method).not.toContain("same text");
});

test("does not tokenize a reply far longer than any labelled text", async () => {
  const label = createLocalLabeller({ candidates: labelCandidates([scenarioOf("intent", intents)]) });
  const own = { interaction_id: "0", references: [] };
  const unread = (raw: string) =>
    new Proxy(prepareText(raw), {
      get(text, name) {
        if (name === "raw") return text.raw;
        throw new Error(`${String(name)} was asked for`);
      },
    });
  expect(await label({ key: "intent", reply: unread("\uFDFA".repeat(20_001)), own })).toMatchObject({
    value: "unknown",
  });
  await expect(label({ key: "intent", reply: unread("\uFDFA".repeat(20_000)), own })).rejects.toThrow("words");
});

test("a reply too long to tokenize gets the label of an identical text only", async () => {
  const reference = "we pack it today. ".repeat(10_000);
  const label = labellerOf("topic", [["delivery", reference]]);
  expect((await label(` ${reference}`))?.method).toBe("same text as a labelled reference");
  expect((await label(reference.replaceAll(".", "!")))?.method).not.toContain("same text");
});

test("yields to the event loop while preparing the keys of a reply", async () => {
  const keys = Array.from({ length: 64 }, (_, key) => `key ${key}`);
  const candidates = labelCandidates(keys.map((key) => scenarioOf(key, [["label", "A reference."]])));
  const label = createLocalLabeller({ candidates });
  const reply = prepareText("A reply.");
  let turns = 0;
  const timer = setInterval(() => (turns += 1));
  for (const key of keys) await label({ key, reply, own: { interaction_id: "0", references: [] } });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(4);
});

test("the same text under two labels is unknown; the nearer of two texts decides", async () => {
  const twice = labellerOf("topic", [
    ["a", "Yes."],
    ["b", "Yes."],
  ]);
  expect(await twice("yes")).toMatchObject({ value: "unknown", confidence: 0 });
  const near = labellerOf("topic", [
    ["a", longReference],
    ["b", longReference.replace("noon", "eleven")],
  ]);
  expect((await near(longReference.replace("noon", "eleven"), 0))?.value).toBe("b");
});

test("every reference counts for equality, for sentiments too", async () => {
  const many = Array.from({ length: 30 }, (_, index): Labelled => ["numbered", `Item ${index} is here.`]);
  expect((await labellerOf("topic", many)("Item 29 is here.", 29))?.value).toBe("numbered");
  expect((await labellerOf("sentiment", [["neutral", "What a wonderful day!"]])("What a wonderful day!"))?.value).toBe(
    "neutral",
  );
});

test("a single candidate can win on other evidence than its own reference", async () => {
  expect(await labellerOf("intent", [["greeting", "Hi"]])("Hello, how can I help?")).toMatchObject({
    value: "greeting",
    method: "nearest typical reply",
  });
});

test("excludes the own reference when the label has another example", async () => {
  const label = labellerOf("topic", [
    ["animals", "The zebra crosses the road."],
    ["animals", "Two dogs chase a cat."],
    ["weather", "It rains in Spain."],
  ]);
  expect((await label("A zebra crosses the road.", 0))?.value).toBe("unknown");
  expect(await label("A zebra crosses the road.", 1)).toMatchObject({
    value: "animals",
    method: "nearest reference reply",
  });
});

test("includes and names the own reference when every label has a single example", async () => {
  const label = labellerOf("topic", [
    ["animals", "The zebra crosses the road."],
    ["weather", "It rains in Spain."],
  ]);
  expect(await label("A zebra crosses the road.", 0)).toMatchObject({
    value: "animals",
    method: "nearest reference reply (its own)",
  });
});

test("confidence stays within 0..1, and keys without text labels are not judged", async () => {
  const label = labellerOf("intent", intents);
  for (const reply of ["Hello! How can I help you today?", "", "zzz", "refund"]) {
    const confidence = (await label(reply))?.confidence;
    expect(confidence).toBeGreaterThanOrEqual(0);
    expect(confidence).toBeLessThanOrEqual(1);
  }
  const empty = createLocalLabeller({ candidates: labelCandidates([]) });
  const own = { interaction_id: "1", references: [] };
  expect(await empty({ key: "intent", reply: prepareText("x"), own })).toBeNull();
});

test("a key with free text has no candidates", () => {
  const labelled = Array.from({ length: 300 }, (_, index): Labelled => [`order ${index}`, "x"]);
  expect(labelCandidates([scenarioOf("order", labelled)]).size).toBe(0);
});

test("aliases of one label do not compete", async () => {
  const issued = "Your refund has been issued and will reach your account within five days.";
  const labelled: Labelled[] = [
    ["refund", issued],
    ["Money-back", issued],
    ["tracking", "Your parcel left our warehouse on Tuesday."],
  ];
  const close = "The refund was issued, it will be in your account in five days.";
  const torn = labellerOf("intent", labelled);
  expect([(await torn(issued))?.value, (await torn(close))?.value]).toEqual(["unknown", "unknown"]);
  const one = labellerOf("intent", labelled, { refund: ["money back"] });
  expect([(await one(issued))?.value, (await one(close))?.value]).toEqual(["refund", "refund"]);
  expect((await one("Your parcel left the warehouse on Monday.", 2))?.value).toBe("tracking");
});

test("aliases of sentiments are recognized and spelled as in the batch", async () => {
  const labelled: Labelled[] = [
    ["pos", "x"],
    ["neg", "x"],
  ];
  const label = labellerOf("tone", labelled, { positive: ["pos"], negative: ["neg"] });
  expect((await label("Great news, your refund has been approved!"))?.value).toBe("pos");
  expect((await label("Unfortunately we cannot process your refund."))?.value).toBe("neg");
});

// Prepared per key, they would take minutes and exhaust the memory.
test("prepares the references of a batch once for all keys", async () => {
  const keys = Array.from({ length: 64 }, (_, key) => `key ${key}`);
  const wordsOf = (turn: number) => Array.from({ length: 700 }, (_, at) => (turn * 7_919 + at * 104_729).toString(36));
  const interactions = Array.from({ length: 600 }, (_, turn) =>
    Interaction.parse({
      id: `${turn}`,
      user_message: "",
      reference_reply: wordsOf(turn).join(" "),
      interaction_type: "opening",
      reference_metadata: Object.fromEntries(keys.map((key) => [key, `label ${turn % 100}`])),
    }),
  );
  const scenario: Scenario = { id: "s", description: "", tags: [], interactions };
  const label = createLocalLabeller({ candidates: labelCandidates([scenario]) });
  const own = { interaction_id: "0", references: [] };
  const reply = prepareText(wordsOf(7).slice(0, 40).join(" "));
  const values = new Set<unknown>();
  for (const key of keys) values.add((await label({ key, reply, own }))?.value);
  expect([...values]).toEqual(["label 7"]);
});

test("skips overlong words, but not the words around them", () => {
  const read: string[] = [];
  const readSentiment = (text: string) => (read.push(text), [0]);
  sentimentLabel(`Great news: ${"http://a".repeat(700)} is back.`, { readSentiment, mixed: false });
  sentimentLabel("See https://example.com/orders/48213 and be happy.", { readSentiment, mixed: false });
  expect(read).toEqual(["Great news:   is back.", "See https://example.com/orders/48213 and be happy."]);
});

test("reads a reply that is one endless URL quickly", async () => {
  const readSentiment = await loadSentimentReader();
  const label = (text: string) => sentimentLabel(text, { readSentiment, mixed: true }).value;
  expect(label("ftp://".repeat(1000))).toBe("unknown");
  expect(label(`This is wonderful, thank you! ${"://".repeat(1500)}`)).toBe("positive");
});

test.each([
  ["Die Lieferung war fast da.", "unknown"],
  ["Ihr Gutschein ist gültig, die Erstattung kommt am Montag.", "unknown"],
  ["El error fue fatal", "unknown"],
  ["Din pakke er på vej, god dag", "unknown"],
  ["Het pakket is onderweg.", "unknown"],
  ["Grazie mille, perfetto!", "unknown"],
  ["Заказ отправлен, super", "unknown"],
  ["I am sorry, the German word was die.", "negative"],
  ["Terrible experience, horrible staff, awful food.", "negative"],
  ["Thanks so much, wonderful service!", "positive"],
  ["The café is great.", "positive"],
  ["super 👍", "positive"],
  ["👍", "positive"],
  ["Order 48213.", "neutral"],
])("%j, which may look English, is read as %s", async (text, value) => {
  const readSentiment = await loadSentimentReader();
  const answer = sentimentLabel(text, { readSentiment, mixed: false });
  expect(answer).toMatchObject({ value, ...(value === "unknown" && { unreadable: true }) });
});
