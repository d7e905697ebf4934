import { expect, test } from "vitest";
import { createRedactor } from "./redact.ts";

test.for([
  ["email", "Write to jo.doe+x@mail.example.co.uk today", "Write to [email] today"],
  ["phone", "Call +49 (0)30 1234567 or 030/123 45 67 89", "Call [phone] or [phone]"],
  ["phone", "On 2026-11-18, order 1234567890 for 1,234.50", "On 2026-11-18, order 1234567890 for 1,234.50"],
  [
    "credit_card",
    "Card 4111 1111 1111 1111, order 4111 1111 1111 1112",
    "Card [credit_card], order 4111 1111 1111 1112",
  ],
  ["iban", "To DE89 3704 0044 0532 0130 00 please", "To [iban] please"],
  [
    "ip_address",
    "From 192.168.0.17 and 2001:db8:0:0:0:0:0:1, version 1.2.3",
    "From [ip_address] and [ip_address], version 1.2.3",
  ],
  ["api_key", "password: hunter22", "password: [redacted]"],
] as const)("%s: %s", ([kind, text, expected]) => {
  expect(createRedactor([kind])?.(text)).toBe(expected);
});

test("replaces patterns in every text, nested ones and names too", () => {
  const redact = createRedactor([{ pattern: "cust-(\\d)\\d+", replacement: "cust-$1…" }, "email"]);
  expect(redact?.({ "a@b.cd": ["cust-123", { n: 1, t: "x@y.zz", b: null }] })).toEqual({
    "[email]": ["cust-1…", { n: 1, t: "[email]", b: null }],
  });
  expect(createRedactor([])).toBeUndefined();
});
