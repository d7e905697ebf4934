import { ServiceError } from "../../../contract/errors.ts";

/** Refuses a conversation of more messages than a turn may have. `pointer`: where the request holds them. */
export function checkCount(
  { length }: readonly unknown[],
  { maxMessages, pointer = "/messages" }: { maxMessages: number; pointer?: string },
): void {
  if (length <= maxMessages) return;
  const message = `must hold at most ${maxMessages} messages (limits.max_messages)`;
  throw new ServiceError("validation_failed", `${pointer} ${message}`, {
    errors: [{ pointer, code: "too_big", message, received: `${length} messages` }],
  });
}
