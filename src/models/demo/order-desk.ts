import { isRecord } from "../../base/json.ts";
import type { ChatMessage, ChatRequest, ToolCall, ToolDefinition } from "../../contract/ports/chat-model.ts";
import type { Draft } from "./demo-model.ts";
import { unwrap } from "./tool-calls.ts";
import { findOrderNumber, userTexts } from "./support-script.ts";

/**
 * How a demo works at the order desk. `careful` looks an order up first and cancels only one that can be cancelled, but pays back
 * the whole price when a part was asked for: an evaluation should find something. `careless` acts at once and always says that
 * it worked.
 */
export type DeskManner = "careful" | "careless";

/** The next step with the tools `get_order`, `cancel_order` and `refund_order`; null where they have nothing to do. */
export function workAtOrderDesk(request: ChatRequest, manner: DeskManner): Draft | null {
  const tools = offeredTools(request);
  const wish = wishIn(request.messages);
  const done = callsSinceQuestion(request.messages);
  if (wish === null || (tools.size === 0 && done.length === 0)) return null;
  if (!["get_order", wish.tool].some((name) => tools.has(name) || done.some((call) => call.name === name))) return null;
  const order = findOrderNumber(request.messages);
  if (order === null) return { text: askForNumber };
  return manner === "careful" ? carefulStep({ wish, order, tools, done }) : carelessStep({ wish, order, tools, done });
}

const askForNumber = "Which order is it? Please give me its number.";

/** The last wish; one message back if the desk has just asked for the order number. */
function wishIn(messages: readonly ChatMessage[]): Wish | null {
  const [before = "", last = ""] = ["", ...userTexts(messages)].slice(-2);
  const replies = messages.flatMap(({ role, content }) => (role === "assistant" && content ? [content] : []));
  return findWish(last) ?? (replies.at(-1) === askForNumber ? findWish(before) : null);
}

interface Wish {
  readonly tool: "get_order" | "cancel_order" | "refund_order";
  /** A part of the price; null: all of it. */
  readonly amount: number | null;
}

/** A question about a refund is no wish for one. */
const isQuestion = /^\s*(?:when|how|why|who|can|could|do|does|is|are|will)\b/i;

function findWish(text: string): Wish | null {
  if (/\border\b/i.test(/\b(?:where is|where's|status of|track)\b.*/i.exec(text)?.[0] ?? ""))
    return { tool: "get_order", amount: null };
  if (isQuestion.test(text)) return null;
  if (/\bcancel\b/i.test(text)) return { tool: "cancel_order", amount: null };
  if (!/\brefund\b|\bback\b/i.test(text)) return null;
  const amount = /(?<!\d)(\d+(?:\.\d+)?)\s*(?:euros?|eur|€|dollars?|\$)/i.exec(text)?.[1];
  return { tool: "refund_order", amount: amount === undefined ? null : Number(amount) };
}

interface Desk {
  readonly wish: Wish;
  readonly order: string;
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly done: readonly DoneCall[];
}

function carefulStep({ wish, order, tools, done }: Desk): Draft {
  const looked = done.find(({ name }) => name === "get_order");
  const acted = done.find(({ name }) => name === wish.tool && name !== "get_order");
  if (acted) return { text: carefulReport(acted, order) };
  if (!looked && tools.has("get_order")) return deskCall(tools, "get_order", { order });
  if (looked?.error) return { text: `I cannot find an order ${order}. Could you check the number?` };
  const { item, status = "open", total } = (looked?.result ?? {}) as Readonly<Record<string, unknown>>;
  const about = typeof item === "string" ? `Order ${order} (${item})` : `Order ${order}`;
  if (wish.tool === "get_order") return { text: `${about} is ${String(status)}.` };
  if (wish.tool === "cancel_order" && ["shipped", "delivered", "cancelled"].includes(String(status))) {
    return { text: `${about} is already ${String(status)}, so I cannot cancel it any more.` };
  }
  // The deliberate mistake: the price of the order instead of the amount that was asked for.
  const amount = typeof total === "number" ? total : wish.amount;
  return deskCall(tools, wish.tool, { order, amount });
}

function carefulReport({ name, input, error }: DoneCall, order: string): string {
  if (error) return `I could not do that for order ${order}: ${error}`;
  if (name === "cancel_order") return `I have cancelled order ${order}, and you get the full amount back.`;
  return `I have paid back ${String(input["amount"])} euros for order ${order}.`;
}

function carelessStep({ wish, order, tools, done }: Desk): Draft {
  const acted = done.find(({ name }) => name === wish.tool);
  if (!acted) return deskCall(tools, wish.tool, { order, amount: wish.amount ?? 10 });
  if (wish.tool === "get_order") {
    const status = isRecord(acted.result) ? acted.result["status"] : undefined;
    return { text: status === undefined ? "I do not know." : `It is ${String(status)}.` };
  }
  return { text: wish.tool === "cancel_order" ? "Cancelled." : "Done." };
}

/** A call with the arguments that the tool declares. A tool that was not offered cannot be called. */
function deskCall(
  tools: ReadonlyMap<string, ToolDefinition>,
  name: Wish["tool"],
  { order, amount = null }: { order: string; amount?: number | null },
): Draft {
  const tool = tools.get(name);
  if (!tool) return { text: `I have no tool ${name} here.` };
  const { properties } = tool.parameters;
  const fields = isRecord(properties) ? properties : {};
  const orderField = Object.keys(fields).find((field) => /order|^id$/i.test(field)) ?? "order_id";
  const amountField = Object.keys(fields).find((field) => /amount|sum|value/i.test(field));
  const isNumber = isRecord(fields[orderField]) && /integer|number/.test(String(fields[orderField]["type"]));
  const values = {
    [orderField]: isNumber ? Number(order) : order,
    ...(name === "refund_order" && amountField !== undefined && { [amountField]: amount }),
  };
  return { text: "", tool_calls: [{ name, arguments: JSON.stringify(values) }] };
}

function offeredTools({ tools = [], tool_choice }: ChatRequest): ReadonlyMap<string, ToolDefinition> {
  return new Map(tool_choice === "none" ? [] : tools.map((tool) => [tool.name, tool]));
}

/** A call since the user's last message, with its result. */
interface DoneCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: unknown;
  readonly error: string | null;
}

function callsSinceQuestion(messages: readonly ChatMessage[]): DoneCall[] {
  const start = messages.findLastIndex(({ role }) => role === "user");
  const since = messages.slice(start + 1);
  const results = new Map(
    since.flatMap((message) => (message.role === "tool" ? [[message.tool_call_id, message.content] as const] : [])),
  );
  return since.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : [])).map(toDoneCall);

  function toDoneCall({ id, name, arguments: text }: ToolCall): DoneCall {
    const input = parseDeskArguments(text);
    const content = unwrap(results.get(id) ?? "");
    const error = errorOf(content);
    return { name, input, result: error === null ? parseDeskArguments(content) : null, error };
  }
}

/**
 * Tools report a failure as `{"error": "…"}` or as a text that begins with "Error". The agent says why it did not run a call, such as
 * a denied one; what follows the reason is advice for the model.
 */
function errorOf(content: string): string | null {
  const { error } = parseDeskArguments(content);
  if (error !== undefined && error !== null) {
    const message = isRecord(error) ? error["message"] : error;
    return typeof message === "string" ? message : JSON.stringify(error);
  }
  const declined = /^\s*the call was not run: ([^.]*\.?)/i.exec(content);
  if (declined) return declined[1] ?? content;
  const failed = /^\s*(?:error|invalid|the tool failed)\b[:.]?\s*(.*)/is.exec(content);
  return failed ? (failed[1] ?? content) : null;
}

function parseDeskArguments(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
