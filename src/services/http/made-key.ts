import { createHash, randomBytes, randomInt } from "node:crypto";

/** A key of our own making. Only its hash is kept. */
interface MadeKey {
  readonly id: string;
  readonly key: string;
  readonly sha256: string;
}

export function makeKey(): MadeKey {
  const id = createId();
  const key = `rh_${id}_${randomBytes(32).toString("base64url")}`;
  return { id, key, sha256: createHash("sha256").update(key).digest("hex") };
}

/** Whether a text has the form of such a key: it then has 256 random bits, or is none. */
export function isMadeKey(text: string): boolean {
  return /^rh_[0-9A-Za-z]{8}_[\w-]{43}$/.test(text);
}

/** Letters that no two people read differently. */
const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";

function createId(): string {
  return Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join("");
}
