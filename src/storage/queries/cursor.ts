import { ServiceError } from "../../contract/errors.ts";
import { isPlainId } from "../plain-id.ts";

/** The last row of a page: the next page starts right after it, whatever was inserted meanwhile. */
interface Position {
  readonly created_at: number;
  readonly id: string;
}

export function toCursor({ created_at, id }: Position): string {
  return encode([created_at, id]);
}

export function parseCursor(cursor: string): Position {
  const value = decode(cursor);
  if (!Array.isArray(value) || !Number.isSafeInteger(value[0]) || !isId(value[1])) throw notACursor();
  return { created_at: value[0] as number, id: value[1] };
}

/** The same for a list in the order of its ids. */
export function toIdCursor(id: string): string {
  return encode(id);
}

/** `isPossible` leaves out what no row of the list can have as its id. */
export function parseIdCursor(cursor: string, isPossible: (id: string) => boolean = () => true): string {
  const value = decode(cursor);
  if (typeof value !== "string" || !isPossible(value)) throw notACursor();
  return value;
}

function isId(value: unknown): value is string {
  return typeof value === "string" && isPlainId(value);
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Letter for letter what was encoded: `Buffer` alone passes over what is no base64. */
function decode(cursor: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (encode(value) === cursor) return value;
  } catch {
    // Told below.
  }
  throw notACursor();
}

function notACursor(): ServiceError {
  return new ServiceError("validation_failed", "The cursor is not one that an earlier page gave.", {
    errors: [{ pointer: "/cursor", code: "invalid", message: "use next_cursor of the page before" }],
  });
}
