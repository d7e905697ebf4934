import type { JudgeAudit } from "../../../src/contract/schemas/judge-audit.ts";

interface AskedAudit {
  readonly items: readonly { readonly reply: string; readonly human: string }[];
}

/** A judge that calls every good reply equivalent and every other one unrelated; it passes where the person says the same. */
export function fakeAudit(body: unknown): JudgeAudit {
  const { items } = body as AskedAudit;
  const confusion: Record<string, Record<string, number>> = {};
  let same = 0;
  for (const { reply, human } of items) {
    const said = reply.startsWith("Good") ? "equivalent" : "unrelated";
    const row = (confusion[human] ??= {});
    row[said] = (row[said] ?? 0) + 1;
    if (said === human) same += 1;
  }
  const agrees = same === items.length;
  return {
    fingerprint: "f".repeat(64),
    passed: agrees,
    items: items.length,
    judged: items.length,
    kappa: agrees ? 1 : 0.1,
    ci_lower: agrees ? null : -0.2,
    ci_upper: agrees ? null : 0.4,
    agreement: same / items.length,
    base_rate: 0.75,
    confusion,
    self_consistency: 1,
    position_flip_rate: null,
    length_bias: { correlation: null, pairs: 0, longer_wins: null },
    notes: ["No position test: no item has a reference reply that differs from its reply."],
  };
}
