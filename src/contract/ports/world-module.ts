// oxlint-disable no-explicit-any -- authors who do not type their state must be able to use it

/**
 * A tool of a module world. `run` may read and change the state, which belongs to one attempt. The result and the state are JSON.
 * An error that it throws is the answer to the call, and the state stays as it was.
 */
export interface WorldModuleTool<State = any, Arguments = any> {
  readonly description?: string;
  /** JSON Schema of the arguments. They are checked before `run` is called. Default: any arguments. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  run(args: Arguments, state: State): unknown;
}

/**
 * The exports of a module world, named in a scenario or a configuration as `world: { module: ./worlds/orders.ts }`. All that a
 * tool remembers must be in the state: variables of the module are shared by attempts, and lost when its process is restarted.
 *
 * @example
 * export const state = { orders: { "1042": { status: "paid" } } };
 * export const tools: WorldModule["tools"] = {
 *   cancel_order: {
 *     description: "Cancels an order.",
 *     parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] },
 *     run({ order_id }, state) {
 *       const order = state.orders[order_id];
 *       if (!order) throw new Error("No such order.");
 *       order.status = "cancelled";
 *       return { ok: true };
 *     },
 *   },
 * };
 */
export interface WorldModule<State = any> {
  readonly tools: Readonly<Record<string, WorldModuleTool<State>>>;
  /** The state at the start of every attempt, or a function that returns it. A `state` of the scenario replaces it. */
  readonly state?: State | (() => State | Promise<State>);
}
