import type { ChatMessage } from "../../contract/ports/chat-model.ts";
import { createTextIndex } from "./text-index.ts";

/** One exchange with a customer of Fernway, the shop that all demos work for. `{order}` becomes the customer's order. */
export interface ScriptLine {
  readonly id: string;
  /** Phrasings of the customer. */
  readonly says: readonly string[];
  /** The line that usually comes before it. */
  readonly after?: string;
  readonly intent: string;
  readonly sentiment: "positive" | "neutral" | "negative";
  /** The answer of demo/scripted and demo-support-v2. */
  readonly reply: string;
  /** The weaker answer of demo-support-v1: a wrong figure, something missing, a curt tone or a forgotten fact. */
  readonly draft: string;
  /** The same facts in other words. */
  readonly reworded: string;
  /** A plausible mistake. */
  readonly wrong: string;
  /** True where even demo-support-v2 makes the mistake now and then. */
  readonly unsure?: boolean;
}

export const supportScript: readonly ScriptLine[] = [
  {
    id: "return-window",
    says: [
      "Hi, I bought a desk lamp last week and it does not suit the room. Can I send it back?",
      "Can I return an item that I do not like?",
      "Can I return this?",
      "How long do I have to send something back?",
    ],
    intent: "returns",
    sentiment: "positive",
    reply: "Of course. You can return it within 30 days of delivery, as long as it is unused and in its box.",
    draft: "You can return items within 14 days.",
    reworded: "Sure! As long as it is unused and in its box, you have 30 days from delivery to return it.",
    wrong: "Sorry, items cannot be returned once the box has been opened.",
  },
  {
    id: "return-label",
    says: ["Do I have to pay for the return shipping?", "Who pays for sending it back?", "Is the return free?"],
    after: "return-window",
    intent: "returns",
    sentiment: "positive",
    reply:
      "No, returns are free. I have emailed you a prepaid label: drop the parcel at any post office and you get your money back within 5 working days.",
    draft: "No. Drop the parcel at any post office.",
    reworded:
      "Returns are free of charge. A prepaid label is in your inbox; hand in the parcel at any post office and the refund follows within 5 working days.",
    wrong: "Yes, please pay the postage yourself. You get your money back within 5 working days.",
  },
  {
    id: "late-parcel",
    says: [
      "My parcel with order 48213 should have arrived yesterday. Where is it?",
      "Where is my parcel?",
      "My delivery is late.",
    ],
    intent: "delivery",
    sentiment: "negative",
    reply:
      "I am sorry about the delay. Your parcel for {order} is held up at the carrier's depot and will reach you by Friday.",
    draft: "It is delayed. It will arrive by Friday.",
    reworded:
      "Sorry for the wait! The carrier is holding your parcel for {order} at its depot, and you will have it by Friday.",
    wrong: "Your parcel for {order} was delivered yesterday. Please ask your neighbours.",
  },
  {
    id: "late-gift",
    says: [
      "That is too late, it is a birthday present for Thursday. Can you do anything?",
      "Can you speed up my delivery?",
      "I need it before Friday.",
    ],
    after: "late-parcel",
    intent: "delivery",
    sentiment: "positive",
    reply:
      "I understand how much this matters. I have moved your parcel to express delivery at no charge, so it arrives on Thursday before noon.",
    draft: "Express delivery costs 9 euros. Shall I book it?",
    reworded:
      "I see why this matters. Your parcel now travels by express delivery, free of charge, and arrives on Thursday before noon.",
    wrong: "I am afraid nothing can be done. The parcel arrives on Friday.",
  },
  {
    id: "late-confirmation",
    says: ["Thank you! Will the confirmation mention the right order?", "Will you send me a confirmation?"],
    after: "late-gift",
    intent: "delivery",
    sentiment: "positive",
    reply: "Yes, the confirmation for {order} is on its way to your inbox. I hope the birthday is a great one!",
    draft: "Yes. What is your order number?",
    reworded: "It will: the confirmation for {order} is on its way to your inbox. Happy birthday wishes from us!",
    wrong: "No, there is no confirmation for express deliveries.",
  },
  {
    id: "damaged-item",
    says: [
      "The vase I ordered arrived in pieces. I am really disappointed.",
      "My item arrived broken.",
      "The product is damaged.",
    ],
    intent: "damage",
    sentiment: "negative",
    reply:
      "I am very sorry that it arrived broken. You can choose between a free replacement and a full refund, and you do not need to send anything back.",
    draft: "Send us a photo and return the item. Then we will see.",
    reworded:
      "I am so sorry that it reached you broken. Would you like a free replacement or a full refund? You can keep the broken one.",
    wrong: "Please return the broken item at your own cost before we look into it.",
  },
  {
    id: "replacement",
    says: ["I would like a replacement, please.", "Send me a new one."],
    after: "damaged-item",
    intent: "damage",
    sentiment: "positive",
    reply:
      "A replacement leaves our warehouse today and should be with you within 3 working days. Thank you for your patience!",
    draft: "Replacement ordered. It takes 7 working days.",
    reworded: "Your replacement ships today and should arrive within 3 working days. Thanks for being so patient!",
    wrong: "The item is sold out, so I can only offer you a refund.",
  },
  {
    id: "change-address",
    says: [
      "I have moved. Can I change the delivery address of order 50977?",
      "Can I change my delivery address?",
      "Please send my order to another address.",
    ],
    intent: "order_change",
    sentiment: "positive",
    reply: "Yes, {order} has not shipped yet, so I can change the address for you. What is the new one?",
    draft: "Yes. What is the new address?",
    reworded: "Happy to change the address, since {order} has not shipped yet. What is the new one?",
    wrong: "No, the address of {order} can no longer be changed.",
  },
  {
    id: "new-address",
    says: ["It is 12 Mill Lane, Oxford.", "My new address is 5 Station Road, Leeds."],
    after: "change-address",
    intent: "order_change",
    sentiment: "positive",
    reply: "Thank you. I have updated {order} with your new address, and a new confirmation is in your inbox.",
    draft: "Okay, done.",
    reworded: "Thanks! Your new address is saved for {order}, and you have a new confirmation in your inbox.",
    wrong: "Thank you. The change costs 4 euros and takes effect with your next order.",
  },
  {
    id: "charged-twice",
    says: [
      "I was charged twice for the same order! Please fix this.",
      "There are two payments on my card.",
      "You took the money twice.",
    ],
    intent: "billing",
    sentiment: "negative",
    reply:
      "I am sorry for the worry. The second charge is only a reservation: your bank releases it within 3 working days, and you pay once.",
    draft: "It is only a reservation. Please wait.",
    reworded:
      "Sorry for the worry! You pay only once: the second charge is a reservation that your bank releases within 3 working days.",
    wrong: "We see two orders, so both payments are correct.",
  },
  {
    // Every demo gets this wrong on purpose: an evaluation should find something.
    id: "kettle-warranty",
    says: [
      "My kettle stopped working after 14 months. Is it still under warranty?",
      "Is my kettle under warranty?",
      "How long is the warranty?",
    ],
    intent: "warranty",
    sentiment: "negative",
    reply:
      "Unfortunately the warranty for small appliances ends after 12 months. I can only offer you 10 percent off a new kettle.",
    draft: "No, the warranty is over.",
    reworded:
      "I am afraid small appliances have only 12 months of warranty. What I can offer is 10 percent off a new kettle.",
    wrong: "We do not give any warranty on kettles.",
  },
  {
    id: "discount-code",
    says: [
      "My discount code WELCOME10 does not work at the checkout.",
      "My voucher is not accepted.",
      "The promo code is invalid.",
    ],
    intent: "discount",
    sentiment: "positive",
    reply: "The code is valid for orders over 50 euros. Add a little more to your basket and it will work.",
    draft: "The code needs a bigger order.",
    reworded: "It works from 50 euros: add a little more to your basket and the code will be accepted.",
    wrong: "That code expired last month, so it can no longer be used.",
    unsure: true,
  },
  {
    id: "combine-codes",
    says: ["And can I combine it with the summer sale?", "Can I use two discount codes?"],
    after: "discount-code",
    intent: "discount",
    sentiment: "positive",
    reply: "Yes, the code also works on sale items, but only one code can be used per order.",
    draft: "Yes, you can.",
    reworded: "You can: the code counts for sale items too, though only one code can be used per order.",
    wrong: "No, codes never work on sale items.",
    unsure: true,
  },
  {
    id: "greeting",
    says: ["Hello!", "Hi there", "Good morning", "Hey"],
    intent: "greeting",
    sentiment: "positive",
    reply: "Hello and welcome to Fernway! How can I help you today?",
    draft: "Hello.",
    reworded: "Hi, welcome to Fernway! What can I do for you today?",
    wrong: "Our chat is closed.",
  },
  {
    id: "cancel-order",
    says: [
      "I want to cancel order 61140, I picked the wrong colour.",
      "Please cancel my order.",
      "Can I cancel an order?",
    ],
    intent: "order_change",
    sentiment: "positive",
    reply:
      "No problem. Your parcel for {order} has not shipped, so I have cancelled it and you get the full amount back.",
    draft: "Cancelled.",
    reworded: "That is fine: {order} had not shipped yet. It is cancelled, and you get the full amount back.",
    wrong: "It is too late to cancel {order}, as it has shipped already.",
  },
  {
    id: "delivery-time",
    says: ["How long does delivery take?", "How many days does shipping take?"],
    intent: "delivery",
    sentiment: "neutral",
    reply: "Standard delivery takes 2 to 4 working days.",
    draft: "Delivery takes 2 weeks.",
    reworded: "A standard parcel is with you in 2 to 4 working days.",
    wrong: "We only deliver to our shops.",
  },
  {
    id: "refund-time",
    says: ["When will I see the money?", "How long does the refund take?", "When do I get my money back?"],
    after: "cancel-order",
    intent: "billing",
    sentiment: "neutral",
    reply: "The refund reaches your account within 5 working days.",
    draft: "The refund takes 10 working days.",
    reworded: "You will have the refund in your account within 5 working days.",
    wrong: "You get a gift card instead of a refund.",
  },
  {
    id: "thanks",
    says: ["Great, thanks for your help!", "Thank you very much", "Thanks, bye", "Goodbye"],
    intent: "closing",
    sentiment: "positive",
    reply: "You are welcome! Thank you for shopping at Fernway, and have a lovely day.",
    draft: "Bye.",
    reworded: "My pleasure! Thank you for shopping at Fernway. Have a lovely day!",
    wrong: "Is there a problem with your order?",
  },
];

/** The minimum similarity of a customer's text and a line. */
const threshold = 0.5;
/** The bonus for the line that usually follows. */
const nextLineBonus = 0.15;

const lines = new Map(supportScript.map((line) => [line.id, line]));
const index = createTextIndex(supportScript.map(({ id, says }) => ({ id, phrases: says })));

/** The line of the script that answers the customer's last message, or null. */
export function findLine(messages: readonly ChatMessage[]): ScriptLine | null {
  const [said = "", before = ""] = userTexts(messages).toReversed();
  const previous = best(index.search(before));
  const ranked = index.search(said).flatMap(({ id, score }) => {
    const line = lines.get(id);
    if (!line || score === 0) return [];
    const isNext = previous !== null && line.after === previous.id;
    return { id, score: isNext ? score + nextLineBonus : score };
  });
  return best(ranked.toSorted((left, right) => right.score - left.score));
}

/** Puts the customer's own order into a reply. */
export function fillIn(reply: string, messages: readonly ChatMessage[]): string {
  const number = findOrderNumber(messages);
  return reply.replaceAll("{order}", number === null ? "your order" : `order ${number}`);
}

function best([first]: readonly { id: string; score: number }[]): ScriptLine | null {
  return first && first.score >= threshold ? (lines.get(first.id) ?? null) : null;
}

/** A demo reads only this much of a message, so that a huge one costs little. */
const longestRead = 2_000;

/** The user's messages, oldest first. */
export function userTexts(messages: readonly ChatMessage[]): string[] {
  return messages.filter(({ role }) => role === "user").map(({ content }) => content.slice(0, longestRead));
}

/** The last order number that the user gave, in any turn. */
export function findOrderNumber(messages: readonly ChatMessage[]): string | null {
  const numbers = userTexts(messages).map((text) => /(?<![\d.,€$])\d{4,8}(?![\d.,]*\d)/.exec(text)?.[0]);
  return numbers.findLast((number) => number !== undefined) ?? null;
}

/** The conversation as one text; equal for equal conversations. */
export function conversationText(messages: readonly ChatMessage[]): string {
  return messages.map(({ role, content }) => `${role}: ${content}`).join("\n");
}
