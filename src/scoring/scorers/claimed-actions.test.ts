import { expect, test } from "vitest";
import { prepareText } from "../text/prepare-text.ts";
import { claimedActions } from "./claimed-actions.ts";
import type { TurnFacts } from "./scorer.ts";

function scoreOf(reply: string, turn: Partial<TurnFacts> = {}) {
  const [score] = claimedActions.score({
    reply: prepareText(reply),
    references: [],
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set(),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
    turn: { interaction_id: "1", user_message: "", prompt: "", tool_calls: [], finish_reason: null, ...turn },
  });
  return score;
}

const tools = [
  { name: "cancel_order" },
  { name: "refundPayment" },
  { name: "get_order" },
  { name: "send_email" },
  { name: "archive_ticket" },
];
const called = (name: string, outcome: object = { result: { ok: true } }, given: object = {}) => ({
  tools,
  tool_calls: [{ id: "c1", name, arguments: given, ...outcome }],
});

test.each<[string, Partial<TurnFacts>]>([
  ["I have cancelled your order.", called("cancel_order")],
  ["I've just refunded $20 to your card.", called("refundPayment")],
  ["Your order has been successfully cancelled.", called("cancel_order")],
  ["Ich habe Ihre Bestellung storniert.", called("cancel_order")],
  ["Der Betrag wurde erstattet.", called("refundPayment")],
  ["J'ai annulé votre commande.", called("cancel_order")],
  ["Votre commande a été annulée.", called("cancel_order")],
  ["He cancelado su pedido.", called("cancel_order")],
  ["Se ha enviado un correo.", called("send_email")],
  ["I have archived the ticket.", called("archive_ticket")],
  ["I have cancelled order A-17.", called("cancel_order", { result: "ok" }, { id: "A-17" })],
  [
    "As said, I have cancelled it.",
    { tools, earlier: [{ user_message: "", reply: "Done.", ...called("cancel_order") }] },
  ],
])("holds: %s", (reply, turn) => {
  expect(scoreOf(reply, turn)).toMatchObject({ value: 1 });
});

test.each<[string, Partial<TurnFacts>, string]>([
  ["I have refunded $20 to your card.", { tools }, "no call of refundPayment"],
  ["I have cancelled your order.", called("get_order"), "no call of cancel_order"],
  ["I've cancelled it.", called("cancel_order", { error: "already shipped" }), "cancel_order failed: already shipped"],
  ["I've cancelled it.", called("cancel_order", { result: "Error: order not found" }), "cancel_order failed"],
  ["Your order has been cancelled.", called("cancel_order", { result: { success: false } }), "reports no success"],
  ["Ich habe Ihnen den Betrag bereits erstattet.", { tools }, "no call of refundPayment"],
  ["Ihre Bestellung wurde storniert.", { tools }, "no call of cancel_order"],
  ["J'ai remboursé le montant.", { tools }, "no call of refundPayment"],
  ["Su pedido ha sido cancelado.", { tools }, "no call of cancel_order"],
  ["I have archived the ticket.", { tools }, "no call of archive_ticket"],
  ["I have booked the room for you.", {}, "no call that could have done it"],
  ["I have cancelled order B-22.", called("cancel_order", { result: "ok" }, { id: "A-17", other: "B-2" }), ""],
])("does not hold: %s", (reply, turn, reason) => {
  const withCode = { ...turn, earlier: [{ user_message: "", reply: "", ...called("get_order", {}, { id: "B-22" }) }] };
  const score = scoreOf(reply, reply.includes("B-22") ? withCode : turn);
  expect(score).toMatchObject({ value: 0, reason: expect.stringContaining(reason) as string });
  const [mark] = score?.marks ?? [];
  expect(reply.slice(mark?.start, mark?.end)).toMatch(/\p{L}+ .*\p{L}+/u);
});

test.each<[string, Partial<TurnFacts>]>([
  ["I can cancel the order for you.", { tools }],
  ["Once I have cancelled it, you get a mail.", { tools }],
  ["Have you cancelled it? I have not cancelled anything.", { tools }],
  ["I will have refunded it by Friday.", { tools }],
  ["Sobald ich die Bestellung storniert habe, melde ich mich.", { tools }],
  ["Your flight has been cancelled by the airline.", { tools, user_message: "They told me it was cancelled" }],
  ["I have updated the text: it is shorter now.", {}],
  ["The shop was opened in 1990.", { tools }],
  ["I have refunded it.", { tools, callsSeen: false }],
])("says nothing: %s", (reply, turn) => {
  expect(scoreOf(reply, turn)).toMatchObject({ value: null });
});
