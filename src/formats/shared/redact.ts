import { isRecord } from "../../base/json.ts";
import { redactKeys } from "../../base/secret.ts";
import type { RedactionRule, redactionKinds } from "../../contract/schemas/acting/traces.ts";

type Replace = (text: string) => string;

/** The characters of an e-mail's name. The look-behind lets a search begin only at the start of a run of them. */
const mailbox = String.raw`[\p{L}\p{M}\p{N}_.!#$%&'*+/=?^\x60{|}~-]`;
const email = new RegExp(String.raw`(?<!${mailbox})${mailbox}+@[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+`, "gu");
/** The same in an address, with `%40` for the at sign. */
const emailInUrl =
  /(?<![\w.%+~-])(?:[\w.+~-]|%(?!40)[\da-f]{2})+%40(?:[\w-]|%[89a-f][\da-f])+(?:\.(?:[\w-]|%[89a-f][\da-f])+)+/gi;
const ipv4 = /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\.?\d)/g;
const ipv6 =
  /(?<!\w)(?<!(?<!\w)[0-9a-f]{0,4}:)(?:[0-9a-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]{1,4})?(?:%\w{1,20})?(?!\w|:[\w:])/gi;
/** Between the groups of a number: spaces that break a line or not, and hyphens and dashes. */
const space = String.raw`\u0020\u00a0\u2009\u202f`;
const dash = String.raw`\u2010-\u2015\u2212\-`;
const card = new RegExp(
  String.raw`(?<![\d.])\d{4}(?:\.\d{4}){3}(?!\.?\d)|(?<!\d)\d(?:[${space}${dash}]?\d){12,18}(?!\d)`,
  "g",
);
const phone = new RegExp(String.raw`(?<![\w.])(?:\+|00)?\d(?:[${space}${dash}()./]{0,2}\d){7,14}(?![\w.]?\d)`, "g");
const iban = new RegExp(
  String.raw`(?<![\p{L}\p{N}])\p{L}{2}\d{2}(?:[${space}${dash}]?[a-z0-9]{4}){2,7}(?:[${space}${dash}]?[a-z0-9]{1,3})?(?![\p{L}\p{N}])`,
  "giu",
);

const kinds: Readonly<Record<(typeof redactionKinds)[number], Replace>> = {
  email: (text) => text.replaceAll(email, "[email]").replaceAll(emailInUrl, "[email]"),
  phone: (text) => text.replaceAll(phone, (found) => (isPhone(found) ? "[phone]" : found)),
  credit_card: (text) => text.replaceAll(card, (found) => (isCard(found) ? "[credit_card]" : found)),
  iban: (text) => text.replaceAll(iban, withoutIban),
  ip_address: (text) => text.replaceAll(ipv6, withoutIpv6).replaceAll(ipv4, "[ip_address]"),
  api_key: redactKeys,
};

/** Replaces what the rules match in every text of a value, also in the names of fields. Undefined without rules. */
export function createRedactor(rules: readonly RedactionRule[] = []): (<Value>(value: Value) => Value) | undefined {
  if (rules.length === 0) return undefined;
  // Longer numbers first: a card is not a phone.
  const sorted = rules.toSorted((left, right) => Number(left === "phone") - Number(right === "phone"));
  const steps = sorted.map(toReplace);
  const text: Replace = (given) => steps.reduce((rest, step) => step(rest), given);
  const [cards, phones] = [rules.includes("credit_card"), rules.includes("phone")];
  const field: Redaction["field"] = (value, name) => {
    const digits = String(value);
    if (cards && typeof value === "number" && isCard(digits)) return "[credit_card]";
    return phones && isPhoneField(value, name) ? "[phone]" : undefined;
  };
  return (value) => redactIn(value, { text, field }, "");
}

interface Redaction {
  readonly text: Replace;
  /** The replacement of a whole number, or a text, as a field with this name. */
  readonly field: (value: number | string, name: string) => string | undefined;
}

function toReplace(rule: RedactionRule): Replace {
  if (typeof rule === "string") return kinds[rule];
  const pattern = new RegExp(rule.pattern, "gu");
  return (text) => text.replaceAll(pattern, rule.replacement ?? "[redacted]");
}

function redactIn<Value>(value: Value, redaction: Redaction, name: string): Value {
  if (typeof value === "string") return (redaction.field(value, name) ?? redaction.text(value)) as Value;
  if (Number.isSafeInteger(value)) return (redaction.field(value as number, name) ?? value) as Value;
  if (Array.isArray(value)) return value.map((item: unknown) => redactIn(item, redaction, name)) as Value;
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [redaction.text(key), redactIn(item, redaction, key)]);
  return Object.fromEntries(entries) as Value;
}

/** Dates and long plain numbers, such as order ids, are no phones; a prefix or separators make one. */
function isPhone(found: string): boolean {
  if (/^\d{4}[^\d\s]\d{1,2}[^\d\s]\d{1,2}/.test(found) || /^\d{1,2}[^\d\s]\d{1,2}[^\d\s]\d{4}/.test(found))
    return false;
  const digits = found.replaceAll(/\D/g, "");
  return digits.length >= 9 && digits.length <= 15 && (/^(?:\+|0)/.test(found) || /\D/.test(found));
}

/** Names of fields, in lower case and without separators, that hold a phone number. */
const phoneNames = /phone|mobile|msisdn|whatsapp|telefon|handy|fax|^tel(?:no|nr|number)?$|^cell(?:no|nr|number)?$/;
/** Names of fields that hold another long number. */
const otherNumbers =
  /id$|ids$|order|number$|nr$|^no$|code|account|invoice|ticket|tracking|serial|sku|ean|gtin|isbn|time|date|stamp|created|updated|expires|^at$|^iat$|^exp$|amount|price|total|cost|sum|count|size|bytes|seed|version|hash|offset|cursor|token|ref/;
/** As people are called from abroad: North America, or another country's code with 11 to 13 digits; not a date. */
const international = /^1[2-9]\d{2}[2-9]\d{6}$|^(?!20\d{2}(?:0[1-9]|1[0-2])[0-3])[2-9]\d{10,12}$/;

/** Digits alone are a phone if their field says so. A number, which has no plus or zero, also if nothing speaks against it. */
function isPhoneField(value: number | string, name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z]+/g, "");
  if (phoneNames.test(plain)) return /^\d{7,15}$/.test(String(value));
  if (typeof value === "string") return false;
  return international.test(String(value)) && (plain === "number" || !otherNumbers.test(plain));
}

/** Beginnings and lengths of card numbers. Timestamps and 13-digit order ids have others. */
const cardForm = /^(?:[3-6]\d{15,18}|2[2-7]\d{14}|3[47]\d{13}|3[0689]\d{12})$/;

/** Luhn's check, which every card number passes. */
function isCard(found: string): boolean {
  const plain = found.replaceAll(/\D/g, "");
  const digits = [...plain].map(Number).toReversed();
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0 && cardForm.test(plain);
}

/** Replaces the longest beginning of the text, in whole groups, whose check digits are right: words may follow an IBAN. */
function withoutIban(found: string): string {
  const groups = found.split(/(?=[^\p{L}\p{N}])/u);
  for (let count = groups.length; count > 0; count--) {
    if (hasIbanCheck(groups.slice(0, count).join(""))) return `[iban]${groups.slice(count).join("")}`;
  }
  return found;
}

/** ISO 7064: the first four characters moved to the end, letters as 10 to 35, leave 1 when divided by 97. */
function hasIbanCheck(text: string): boolean {
  const plain = text.replaceAll(/[^\p{L}\p{N}]/gu, "").toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(plain)) return false;
  const moved = plain.slice(4) + plain.slice(0, 4);
  let rest = 0;
  for (const character of moved)
    for (const digit of String(Number.parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

/** A colon after an address is a sign of the sentence: `2001:db8::1: refused`. */
function withoutIpv6(found: string): string {
  const address = found.replace(/(?<!:):$/, "");
  return isIpv6Text(address) ? `[ip_address]${found.slice(address.length)}` : found;
}

/**
 * Eight groups, or fewer with one `::` and a beginning that addresses of people have: global, local to a link or a site. So `12::30`
 * and `abc::def` stay.
 */
function isIpv6Text(found: string): boolean {
  const text = found.replace(/%\w+$/, "");
  const groups = text.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const length = groups.flat().length + (text.includes(".") ? 1 : 0);
  if (groups.flat().includes("")) return false;
  if (groups.length === 1) return length === 8;
  if (groups.length > 2 || length > 7) return false;
  return /^(?:[23][0-9a-f]{3}:|fe[89ab][0-9a-f]:|f[cd][0-9a-f]{2}:|::ffff:|64:ff9b::)/i.test(text);
}
