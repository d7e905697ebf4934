import { ServiceError } from "../../contract/errors/errors.ts";
import type { Readers, Reader } from "../tables/database.ts";
import { isPlainId } from "../tables/text-columns.ts";

/** The last row of a page: the next page starts right after it, whatever was inserted meanwhile. */
interface Position {
  readonly created_at: number;
  readonly id: string;
}

export function toCursor({ created_at, id }: Position): string {
  return encode([created_at, id]);
}

export function parseCursor(cursor: string): Position {
  const value = decodeCursor(cursor);
  if (!Array.isArray(value) || !Number.isSafeInteger(value[0]) || !isId(value[1])) throw invalidCursor();
  return { created_at: value[0] as number, id: value[1] };
}

/** A cursor for a list ordered by id. */
export function toIdCursor(id: string): string {
  return encode(id);
}

/** `isPossible` rejects ids that no row of the list can have. */
export function parseIdCursor(cursor: string, isPossible: (id: string) => boolean = () => true): string {
  const value = decodeCursor(cursor);
  if (typeof value !== "string" || !isPossible(value)) throw invalidCursor();
  return value;
}

/** Stored text read per page: a single row may have megabytes. */
export const bytesAtOnce = 4 * 1024 * 1024;

/** The number of rows that fit into `bytesAtOnce`, at least one. */
export function countWithinBytes(rows: readonly { readonly bytes: number }[]): number {
  let together = 0;
  const over = rows.findIndex(({ bytes }) => (together += bytes) > bytesAtOnce);
  return over === -1 ? rows.length : Math.max(1, over);
}

/** A slower page blocks other work: its texts are long, or the disk is slow. */
const slowPageMs = 10;

type ReadPage = <Page>(read: (from: Reader) => Promise<Page>) => Promise<Page>;

/**
 * Reads pages in this thread and, once a page was slow, the rest in the reader's thread. Not earlier, because that
 * thread takes some 15 MB and transferring rows costs as much as reading short ones.
 */
export function createPageReader(
  { reader, longReader = reader }: Readers,
  now: () => number = () => performance.now(),
): ReadPage {
  let source = reader;
  return async (read) => {
    const began = now();
    const page = await read(source);
    if (now() - began > slowPageMs) source = longReader;
    return page;
  };
}

/** Requests the next item while the current one is processed. */
export async function* prefetch<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  try {
    let coming = items.next();
    for (;;) {
      const { done, value } = await coming;
      if (done) return;
      coming = items.next();
      // Awaited in the next round. If the consumer stops before that, the rejection would be unhandled.
      coming.catch(() => {});
      yield value;
    }
  } finally {
    await items.return(undefined);
  }
}

function isId(value: unknown): value is string {
  return typeof value === "string" && isPlainId(value);
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Accepts only exactly encoded cursors: `Buffer` alone ignores characters outside base64. */
function decodeCursor(cursor: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (encode(value) === cursor) return value;
  } catch {
    // Rejected below.
  }
  throw invalidCursor();
}

function invalidCursor(): ServiceError {
  return new ServiceError("validation_failed", "The cursor is not from an earlier page.", {
    errors: [{ pointer: "/cursor", code: "invalid", message: "use next_cursor of the previous page" }],
  });
}
