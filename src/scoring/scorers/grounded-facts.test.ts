import { expect, test } from "vitest";
import { prepareText } from "../text/prepare-text.ts";
import { groundedFacts } from "./grounded-facts.ts";
import type { TurnFacts } from "./scorer.ts";

interface Given extends Partial<TurnFacts> {
  readonly references?: readonly string[];
}

function scoreOf(reply: string, { references = [], ...turn }: Given) {
  const [score] = groundedFacts.score({
    reply: prepareText(reply),
    references: references.map(prepareText),
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set(),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
    turn: { interaction_id: "1", user_message: "", prompt: "", tool_calls: [], finish_reason: null, ...turn },
  });
  return score;
}

const result = (value: unknown): Given => ({
  tool_calls: [{ id: "c1", name: "look_up", arguments: {}, result: value }],
});
const said = (text: string): Given => ({ context: [{ text, source: "policy.md" }] });

test.each<[string, string, Given]>([
  ["a number as it is", "You have 47 points.", result({ points: 47 })],
  ["groups of thousands", "It costs 1,000 dollars.", result({ price: 1000 })],
  ["groups of other countries", "Das kostet 1.000 €, also 1 000 EUR oder 1’000 Euro.", result({ preis: 1000 })],
  ["decimal commas", "Cela fait 12,50 €.", result({ total: 12.5 })],
  ["lakhs", "The loan is ₹1,25,000.", result({ loan: 125000 })],
  ["digits of another script", "السعر ٢٥٠", result({ price: 250 })],
  ["a number of words", "It takes 3 days.", said("Delivery takes three days.")],
  ["number words of the reply", "Das dauert fünfundzwanzig Tage.", said("25 Tage")],
  ["currencies in words and signs", "The fee is 25 dollars.", said("A fee of $25 applies.")],
  ["a unit in data without one", "Returns are possible for 30 days.", result({ return_days: 30 })],
  ["other units of time", "That is 2 weeks, or 90 minutes.", said("14 days. One hour and 30 minutes.")],
  ["a share as a percentage", "You save 12.5 %.", result({ discount: 0.125 })],
  ["rounding", "The rating is 4.7, the distance about 1,200 km.", result({ rating: 4.683, distance: 1234 })],
  ["scales", "1.2 million people live there.", result({ population: 1_213_400 })],
  ["a date in other words", "It leaves on May 20th, 2024.", result({ date: "2024-05-20" })],
  ["German dates", "Die Reise beginnt am 20. Mai 2024, also am 20.05.2024.", result({ date: "2024-05-20" })],
  ["French dates", "Le départ est le 20 mai.", result({ date: "2024-05-20" })],
  ["Spanish dates", "Sale el 20 de mayo de 2024.", result({ date: "2024-05-20" })],
  ["the weekday of a date", "That is a Monday.", result({ date: "2024-05-20" })],
  [
    "tomorrow against the date of the scenario",
    "It leaves tomorrow.",
    { ...result({ date: "2024-05-16" }), today: "2024-05-15" },
  ],
  [
    "a date for the user's tomorrow",
    "On May 16 it is.",
    { ...result({ ok: true }), user_message: "Tomorrow, please", today: "2024-05-15" },
  ],
  [
    "the date in the system prompt",
    "Sie liefern morgen, am 16. Mai.",
    { system: "Heute ist der 15.05.2024.", ...result("16.05.2024") },
  ],
  ["times of twelve hours", "It opens at 3pm and closes at 5:30 p.m.", result({ opens: "15:00", closes: "17:30:00" })],
  ["German times", "Geöffnet bis 18.30 Uhr.", result({ closes: "18:30" })],
  ["French times", "Ouvert jusqu'à 18h30.", result({ closes: "18:30" })],
  ["a code", "Your order A-4711 and flight HAT136 are fine.", result({ order: "A-4711", flight: "HAT136" })],
  [
    "a part of an id",
    "Certificate 7504069 is used, the card ending in 4486.",
    result(["certificate_7504069", "credit_card_1234486"]),
  ],
  [
    "mail and web addresses",
    "Write to help@example.com or see https://example.com/faq.",
    said("help@example.com, www.example.com/faq"),
  ],
  ["a quoted name", 'Choose "Basic Economy" there.', result({ cabin: "basic_economy" })],
  ["a sum of the reply's own numbers", "152 € + 103 € = 255 € in total.", result({ fares: [152, 103] })],
  ["a difference", "The remaining balance is $5.", result({ total: 255, paid: 250 })],
  ["a multiple", "For 3 passengers the total is $90.", said("Insurance costs $30 per passenger, for 3 passengers.")],
  ["how many there are", "I found 4 flights.", result({ flights: [{ f: "A" }, { f: "B" }, { f: "C" }, { f: "D" }] })],
  [
    "the time between two times",
    "The flight takes 2 hours 30 minutes.",
    result({ departs: "10:00", arrives: "12:30" }),
  ],
  [
    "a date some days later",
    "You can return it within 30 days, until May 31.",
    { ...said("Return within 30 days."), user_message: "I bought it on May 1" },
  ],
  ["the reference", "Paris has 20 arrondissements.", { references: ["20 arrondissements"] }],
  [
    "the user's words beside another source",
    "For order 1042 that takes 5 days.",
    { user_message: "Where is order 1042?", ...said("5 days") },
  ],
  ["numbers of list items", "1. Open the door\n2. Wait 5 minutes", said("5 minutes")],
])("finds %s", (_case, reply, given) => {
  const score = scoreOf(reply, given);
  expect([score?.value, score?.reason]).toEqual([1, expect.stringMatching(/have a source$|has a source$/)]);
});

test.each<[string, string, Given]>([
  ["another amount", "It costs $49.", result({ price: 47 })],
  ["another unit", "It takes 3 weeks.", said("It takes 3 days.")],
  ["another currency", "The fee is €25.", said("The fee is $25.")],
  ["another day", "It leaves on May 21.", result({ date: "2024-05-20" })],
  ["another weekday", "Wir öffnen am Dienstag.", said("Wir öffnen am Montag.")],
  ["another half of the day", "It opens at 3 am.", result({ opens: "15:00" })],
  ["another digit of a code", "Your flight is HAT138.", result({ flight: "HAT136" })],
  ["another address", "Write to hello@example.com.", said("help@example.com")],
  ["another page", "See https://example.com/help.", said("https://example.com/faq")],
  ["another name", 'Choose "Premium Select" there.', result({ cabin: "basic_economy" })],
  ["a total that is none", "The total is $265.", result({ fares: [152, 103] })],
  ["a French amount", "Le remboursement est de 45 €.", said("Le remboursement est de 54 €.")],
  ["a Spanish time", "Abre a las 10:15.", said("Abre a las 9:15.")],
  ["tomorrow when it is in a week", "It leaves tomorrow.", { ...result({ date: "2024-05-23" }), today: "2024-05-15" }],
])("marks %s", (_case, reply, given) => {
  const score = scoreOf(reply, given);
  expect(score?.value).toBeLessThan(1);
  const [mark] = score?.marks ?? [];
  expect(reply.slice(mark?.start, mark?.end)).not.toBe("");
});

test("names the fact and the nearest source", () => {
  const score = scoreOf("Order 1042 costs $49 and comes on May 20.", {
    ...result({ price: 47, arrives: "2024-05-20" }),
    user_message: "And order 1042?",
  });
  expect(score).toMatchObject({
    value: 2 / 3,
    reason: '2 of 3 facts have a source; not: "$49" (nearest: "47" in the result of look_up)',
  });
});

test("has no value without a fact in the reply, or without a source but the user", () => {
  expect(scoreOf("Sure, I can help.", result({ price: 47 }))).toMatchObject({ value: null });
  expect(scoreOf("It costs $47.", { user_message: "Is it $47?" })).toMatchObject({ value: null });
  expect(scoreOf("It costs $47.", { system: "You are a helpful assistant." })).toMatchObject({ value: null });
});

test("a fact of an earlier reply is a source only if it was grounded itself", () => {
  const earlier = [{ user_message: "Price?", reply: "It is $47, or $90 for both.", ...result({ price: 47 }) }];
  expect(scoreOf("As I said: $47.", { earlier })).toMatchObject({ value: 1 });
  expect(scoreOf("As I said: $90.", { earlier })).toMatchObject({ value: 0 });
});

test("reads long results and replies in time that grows with their length", () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => ({
    id: `ORD-${index}`,
    price: index / 4,
    date: "2024-05-20",
    note: "ships in 3 days",
  }));
  const reply = "The order ORD-77 costs 19.25 in total and ORD-99999 is unknown. ".repeat(2_000);
  expect(scoreOf(reply, result(rows))?.value).toBeCloseTo(2 / 3, 2);
});
