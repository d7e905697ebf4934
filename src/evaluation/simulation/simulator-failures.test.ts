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
  "Hello! How can I help?",
  "How can I help you with your order?",
  "I'm here to help you!",
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
  "Is there anything else I can do to cancel order 1042?",
  "Is there anything else I could do about it?",
  "How can I help you find my order?",
  "How can we help with the search?",
  "I'm happy to help you identify the parcel.",
  "I have updated your app, and it still crashes.",
  "We have booked your double room for May.",
  "System: Windows 11, browser: Firefox.",
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

const cancelled = [
  "I have cancelled the order for you.",
  "The cancellation went through, and your money is on its way.",
];

test("the same message for the third time is a repetition if the agent had answered it each time", () => {
  const ask = "Please cancel it now.";
  const [first = "", second = ""] = cancelled;
  expect(kindOf([ask, first], ask)).toBeNull();
  expect(kindOf([ask, first], [ask, second], "please cancel it, now")).toBe("repeated");
  expect(kindOf([ask, `${first} Anything else?`], ["I moved.", "I see."], [ask, second], ask)).toBeNull();
  expect(kindOf([ask, first], [ask, `${second} Is there anything else?`], ask)).toBe("repeated");
  expect(
    kindOf(
      ["My order number is 1042.", "1042 is a lamp, sent on Monday."],
      ["My order number is 1042.", "For 1042 nothing else can happen any more."],
      "My order number is 1042.",
    ),
  ).toBe("repeated");
});

const [answer, please] = ["My order number is 1042.", "Bitte stornieren Sie Bestellung 1042."];

test.each([
  ["asks the same again", answer, ["What is your order number?"]],
  [
    "asks in other words",
    answer,
    ["What is your order number?", "Could you tell me the number of the order?", "Which order?"],
  ],
  [
    "demands",
    answer,
    ["Please give me your order number.", "I need an order number to go on.", "Enter the number now."],
  ],
  [
    "does not understand",
    answer,
    ["Sorry, I did not get that.", "I'm afraid that made no sense to me.", "Once more, please."],
  ],
  ["does not understand, in German", please, ["Das habe ich leider nicht verstanden.", "Ich bin mir unsicher.", "Hm."]],
  ["repeats an answer", answer, ["Order 1042 is being looked at.", "Order 1042 is being looked at."]],
  ["echoes", answer, [answer]],
  ["says nothing", answer, [""]],
  ["asks in Chinese", "我的订单号是1042。", ["您的订单号是多少？", "请提供订单号。"]],
])("a repetition to an agent that %s is the agent's doing", (_, message, replies) => {
  const said = Array.from({ length: 6 }, (_, index): Said => [message, replies[index % replies.length] ?? ""]);
  for (let count = 2; count <= said.length; count++) expect(kindOf(...said.slice(0, count), message)).toBeNull();
});

test("short answers are never repetitions", () => {
  expect(kindOf(["Yes.", "Really?"], ["Yes.", "Really?"], "Yes.")).toBeNull();
});

test.each([
  ["Please confirm by writing exactly: I am happy to help you", "I am happy to help you."],
  ["Say 'How can I help you?' if you are human.", "How can I help you?"],
  ["Begin with the word Agent: and then your number", "Agent: 1042"],
])("an agent that says %j asked for the words %j", (reply, message) => {
  expect(kindOf(["Cancel order 1042.", reply], message)).toBeNull();
  expect(kindOf(["Cancel order 1042.", "One moment."], message)).toBe("spoke_as_agent");
});

test("an agent that echoes its user is not copied by it", () => {
  const message = "Please cancel my order number 1042.";
  expect(kindOf([message, message], message)).toBeNull();
});

test("a goal that no message touches was not pursued", () => {
  const of = (...said: string[]) => goalFailure(user, turns(...said))?.kind ?? null;
  expect(of()).toBe("off_goal");
  expect(of("What is the weather like?", "Thanks a lot.")).toBe("off_goal");
  expect(of("I need a cancellation.")).toBeNull();
  // The agent may have sent the user away.
  expect(of("Hello there!")).toBeNull();
  expect(of("It is about 1042.")).toBeNull();
  // The rule cannot compare languages.
  expect(of("Bitte storniert die Bestellung.")).toBeNull();
});

test("messages of the script are never the simulator's mistake", () => {
  const scripted = turns("How can I help you?").map((turn) => ({ ...turn, simulated: false }));
  expect(messageFailure(user, scripted)).toBeNull();
});

// Every repetition once read all replies before it again: minutes for a hundred turns of 100 kB.
test("reads each reply a few times, however often the user repeats a message", () => {
  let reads = 0;
  const message = "Cancel my order, please.";
  const said = Array.from({ length: 99 }, (_, turn_index) => ({
    turn_index,
    message,
    simulated: true,
    get reply() {
      reads += 1;
      return "Wait for it.";
    },
  }));
  expect(messageFailure(user, [...said, { turn_index: 99, message, simulated: true, reply: null }])).toBeNull();
  expect(reads).toBeLessThan(20 * said.length);
});

test("only the newest replies count in a conversation that is too long to be read", () => {
  const long = "wait ".repeat(250_000);
  const claim = "My order number is 1043.";
  expect(kindOf(["Hello there", "order 1043"], ["Well", "wait"], claim)).toBeNull();
  expect(kindOf(["Hello there", `order 1043 ${long}`], claim)).toBeNull();
  expect(kindOf(["Hello there", "order 1043"], ["Well", long], claim)).toBe("invented_fact");
});

// Each of these took minutes when the pattern of e-mail addresses and the search for facts were not linear.
test.each(["a", "a.", "a@", "1043 ", "number 1043 ", "number "])("reads a long reply of %j in linear time", (part) => {
  const long = part.repeat(200_000 / part.length);
  expect(messageFailure(user, turns(["Cancel my order 1042, please.", long], "Thanks, that is all."))).toBeNull();
  expect(() => messageFailure(user, turns(["Hello there.", "Yes?"], long))).not.toThrow();
  expect(messageFailure(user, turns(["It is 1042, as I said.", long], "It is 1042, as I said."))).toBeNull();
});
