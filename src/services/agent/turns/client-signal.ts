import type { Context } from "hono";
import type { TurnHeaders } from "./read-turn-headers.ts";

/**
 * Aborts when the client goes away, and never where its turn is to go on: then it also waits for its thread to the end. `habit`
 * counts where the client has said nothing about it.
 */
export function clientSignal(
  { req }: Context,
  { onDisconnect }: Pick<TurnHeaders, "onDisconnect">,
  habit: "cancel" | "continue" = "cancel",
): AbortSignal {
  return (onDisconnect ?? habit) === "continue" ? new AbortController().signal : req.raw.signal;
}
