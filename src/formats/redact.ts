import { isRecord } from "../base/json.ts";
import { redactKeys } from "../base/secret.ts";
import type { RedactionRule, redactionKinds } from "../contract/schemas/acting/traces.ts";

type Replace = (text: string) => string;

const kinds: Readonly<Record<(typeof redactionKinds)[number], Replace>> = {
  email: (text) => text.replaceAll(/[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)+/g, "[email]"),
  phone: (text) =>
    text.replaceAll(/(?<![\w.])(?:\+|00)?\d(?:[ ()./-]{0,2}\d){7,14}(?![\w.]?\d)/g, (found) =>
      isPhone(found) ? "[phone]" : found,
    ),
  credit_card: (text) =>
    text.replaceAll(/(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/g, (found) => (hasCheckDigit(found) ? "[credit_card]" : found)),
  iban: (text) => text.replaceAll(/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g, "[iban]"),
  ip_address: (text) =>
    text
      .replaceAll(
        /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.]*\d)/g,
        "[ip_address]",
      )
      .replaceAll(/(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])/gi, "[ip_address]"),
  api_key: redactKeys,
};

/** Replaces what the rules match in every text of a value, also in the names of fields. Undefined without rules. */
export function createRedactor(rules: readonly RedactionRule[] = []): (<Value>(value: Value) => Value) | undefined {
  if (rules.length === 0) return undefined;
  // Longer numbers first: a card is not a phone.
  const sorted = rules.toSorted((left, right) => Number(left === "phone") - Number(right === "phone"));
  const steps = sorted.map(toReplace);
  const redact: Replace = (text) => steps.reduce((rest, step) => step(rest), text);
  return (value) => redactIn(value, redact);
}

function toReplace(rule: RedactionRule): Replace {
  if (typeof rule === "string") return kinds[rule];
  const pattern = new RegExp(rule.pattern, "gu");
  return (text) => text.replaceAll(pattern, rule.replacement ?? "[redacted]");
}

function redactIn<Value>(value: Value, redact: Replace): Value {
  if (typeof value === "string") return redact(value) as Value;
  if (Array.isArray(value)) return value.map((item: unknown) => redactIn(item, redact)) as Value;
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [redact(key), redactIn(item, redact)]);
  return Object.fromEntries(entries) as Value;
}

/** Dates and long plain numbers, such as order ids, are no phones; a prefix or separators make one. */
function isPhone(found: string): boolean {
  if (/^\d{4}[-./]\d{1,2}[-./]\d{1,2}/.test(found) || /^\d{1,2}[-./]\d{1,2}[-./]\d{4}/.test(found)) return false;
  const digits = found.replaceAll(/\D/g, "");
  return digits.length >= 9 && digits.length <= 15 && (/^(?:\+|0)/.test(found) || /[ ()./-]/.test(found));
}

/** Luhn's check, which every card number passes. */
function hasCheckDigit(found: string): boolean {
  const digits = [...found.replaceAll(/\D/g, "")].map(Number).toReversed();
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return digits.length >= 13 && sum % 10 === 0;
}
