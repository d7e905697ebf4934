import { expect, test } from "vitest";
import { SimulatedUser } from "../../contract/schemas/acting/simulated-user.ts";
import { goalFailure, messageFailure, type JudgedUserTurn } from "./simulator-failures.ts";

const user = SimulatedUser.parse({
  goal: "You want to cancel order 1042 and get the refund.",
  persona: "A hurried customer, born in 1990.",
  knows: { order_id: "1042", email: "ada@example.com", booking_code: "AB12C", premium: true },
});

type Said = string | [message: string, reply: string];

/** A conversation as pairs of a message and the agent's reply; the last message has no reply yet. */
function turns(...said: Said[]): JudgedUserTurn[] {
  return said.map((one, turn_index) => {
    const [message, reply] = typeof one === "string" ? [one, null] : one;
    return { turn_index, message, simulated: true, reply };
  });
}

const kindOf = (...said: Said[]) => messageFailure(user, turns(...said))?.kind ?? null;

test.each([
  "Agent: your order is on its way.",
  "How may I assist you today?",
  "Is there anything else I can help you with?",
  "As an AI language model, I cannot cancel orders.",
  "I have cancelled your order.",
])("a user who says %j speaks as the agent", (message) => {
  expect(kindOf(message)).toBe("spoke_as_agent");
});

test("a user who sends a reply of the agent back speaks as the agent, unless it is a few words", () => {
  expect(kindOf(["Hi", "Which order shall I look up?"], "which order shall I look up")).toBe("spoke_as_agent");
  expect(kindOf(["Hi", "Thank you!"], "Thank you!")).toBeNull();
});

test.each([
  "How can you help me with my order?",
  "I have cancelled the appointment myself.",
  "The agent: is that you?",
  "Can someone assist me?",
])("a user who says %j speaks as a user", (message) => {
  expect(kindOf(message)).toBeNull();
});

test.each([
  ["My order number is 1043.", "1043"],
  ["It's order #2042, please.", "2042"],
  ["the booking code is XY99Z", "XY99Z"],
  ["Write to bob@example.com", "bob@example.com"],
])("%j contradicts a known fact", (message, claim) => {
  expect(messageFailure(user, turns(message))).toMatchObject({
    kind: "invented_fact",
    reason: expect.stringContaining(claim),
  });
});

test.each([
  "My order number is 1042.",
  "I placed an order in 2024.",
  "I was born in 1990, if you need that.",
  "Ada@example.com is my address.",
  "It is order 1042, booking AB12C, and I waited 4000 minutes.",
])("%j contradicts nothing", (message) => {
  expect(kindOf(message)).toBeNull();
});

test("a value that the agent named first is no invention", () => {
  expect(kindOf(["Cancel it.", "Do you mean order 1077?"], "Yes, order 1077.")).toBeNull();
});

test("the same message for the third time is a repetition, in a row or not", () => {
  const ask = "Please cancel it now.";
  expect(kindOf([ask, "Why?"], ask)).toBeNull();
  expect(kindOf([ask, "Why?"], ["I moved.", "I see."], [ask, "Sure?"], "please cancel it, now")).toBe("repeated");
});

test("short answers are repetitions only if the agent says the same each time", () => {
  expect(kindOf(["Yes.", "Really?"], ["Yes.", "Shall I?"], "Yes.")).toBeNull();
  expect(kindOf(["Yes.", "Really?"], ["Yes.", "Really?"], "Yes.")).toBe("repeated");
});

test("a goal that no message touches was not pursued", () => {
  const of = (...said: string[]) => goalFailure(user, turns(...said))?.kind ?? null;
  expect(of()).toBe("off_goal");
  expect(of("What is the weather like?", "Thanks a lot.")).toBe("off_goal");
  expect(of("I need a cancellation.")).toBeNull();
  expect(of("It is about 1042.")).toBeNull();
  // The rule cannot compare languages.
  expect(of("Bitte storniert die Bestellung.")).toBeNull();
});

test("messages of the script are never the simulator's mistake", () => {
  const scripted = turns("How can I help you?").map((turn) => ({ ...turn, simulated: false }));
  expect(messageFailure(user, scripted)).toBeNull();
});
