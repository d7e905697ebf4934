import { createHash } from "node:crypto";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { canonicalJson } from "../../../base/json.ts";
import { IdempotencyKey } from "../../../contract/schemas/shared/request-headers.ts";

/** The request's Idempotency-Key with a hash of its body; undefined when it has none. */
export function readIdempotency(header: string | undefined, body: unknown): { key: string; hash: string } | undefined {
  if (header === undefined) return undefined;
  if (!IdempotencyKey.safeParse(header).success) {
    throw new ServiceError(
      "idempotency_key_invalid",
      "The Idempotency-Key must be 1 to 255 printable ASCII characters.",
    );
  }
  return { key: header, hash: createHash("sha256").update(canonicalJson(body)).digest("hex") };
}
