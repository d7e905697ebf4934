import { ServiceError } from "../../contract/service-error.ts";

/** The last row of a page: the next page starts right after it, whatever was inserted meanwhile. */
export interface Position {
  readonly created_at: number;
  readonly id: string;
}

export function toCursor({ created_at, id }: Position): string {
  return Buffer.from(JSON.stringify([created_at, id])).toString("base64url");
}

export function parseCursor(cursor: string): Position {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(value) && Number.isSafeInteger(value[0]) && typeof value[1] === "string") {
      return { created_at: value[0] as number, id: value[1] };
    }
  } catch {
    // Not JSON: answered below like any other text we did not make.
  }
  throw new ServiceError("validation_failed", "The cursor is not one that an earlier page gave.", {
    errors: [{ pointer: "/cursor", code: "invalid", message: "use next_cursor of the page before" }],
  });
}
