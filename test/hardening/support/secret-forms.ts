import { randomBytes } from "node:crypto";

/** A secret that stands out, with the characters that are written differently in URLs, JSON and base64. */
export const canary = (name: string): string => `${name}+canary/${randomBytes(9).toString("hex")}=`;

/** Every form in which a secret could leave. Hex and base64 also find it inside longer texts. */
export function formsOf(secret: string): readonly string[] {
  const core = secret.slice(0, secret.length - (secret.length % 3));
  return [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ secret }).toString().slice("secret=".length),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString("hex"),
    Buffer.from(core).toString("base64"),
    Buffer.from(core).toString("base64url"),
    Buffer.from(`x${secret}`).toString("base64").slice(4, -4),
    Buffer.from(`xx${secret}`).toString("base64").slice(4, -4),
    [...secret].toReversed().join(""),
  ];
}

/** `NAME, form 3, in logs` for each place that holds a secret. */
export function findLeaks(
  secrets: Readonly<Record<string, string>>,
  outputs: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    formsOf(secret).flatMap((form, index) =>
      Object.entries(outputs)
        .filter(([, text]) => text.includes(form))
        .map(([where]) => `${name}, form ${index}, in ${where}`),
    ),
  );
}
