// A world of orders and refunds: tools as functions. `cancel-order.yaml` beside it acts in this world.

interface Order {
  status: "paid" | "shipped" | "cancelled";
  total: number;
  refunded: number;
}

interface Shop {
  orders: Record<string, Order>;
}

/** Every attempt starts with this state. */
export const state: Shop = {
  orders: {
    "1042": { status: "paid", total: 25, refunded: 0 },
    "1043": { status: "shipped", total: 80, refunded: 0 },
  },
};

const byOrder = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };

export const tools = {
  get_order: {
    description: "Looks up an order.",
    parameters: byOrder,
    run: ({ order_id }: { order_id: string }, shop: Shop) => find(shop, order_id),
  },
  cancel_order: {
    description: "Cancels an order that has not been shipped, and refunds it.",
    parameters: byOrder,
    run({ order_id }: { order_id: string }, shop: Shop) {
      const order = find(shop, order_id);
      if (order.status !== "paid") throw new Error(`The order is ${order.status} and cannot be cancelled.`);
      order.status = "cancelled";
      order.refunded = order.total;
      return { ok: true, refunded: order.refunded };
    },
  },
  refund_order: {
    description: "Refunds a part of an order.",
    parameters: {
      type: "object",
      properties: { order_id: { type: "string" }, amount: { type: "number", exclusiveMinimum: 0 } },
      required: ["order_id", "amount"],
    },
    run({ order_id, amount }: { order_id: string; amount: number }, shop: Shop) {
      const order = find(shop, order_id);
      const left = order.total - order.refunded;
      if (amount > left) throw new Error(`At most ${left} can be refunded.`);
      order.refunded += amount;
      return { ok: true, refunded: order.refunded };
    },
  },
};

/** An error that a tool throws is the answer to its call. */
function find({ orders }: Shop, id: string): Order {
  const order = orders[id];
  if (!order) throw new Error("No such order.");
  return order;
}
