import { expect, test } from "vitest";
import type { Verdict } from "../../src/contract/schemas/comparison.ts";
import { fakeComparison } from "../../test/page/support/fake-comparison.ts";
import { renderHtml, textOf } from "../../test/page/support/render.ts";
import { nightly, nightlyAfter } from "../../test/page/support/sample-runs.ts";
import { EffectTable } from "./effect-table.tsx";
import { VerdictBanner } from "./verdict-banner.tsx";

const comparison = fakeComparison(nightly, nightlyAfter);
const [score] = comparison.scores;
if (!score) throw new Error("no score is compared");

/** Whether HTML uses the colour of a tone for text, ground or a plot. */
const tones = (html: string): string[] =>
  ["good", "bad"].filter((tone) => new RegExp(`(?:text|bg|tone)-${tone}\\b`).test(html));

test.each([
  ["better", "good"],
  ["worse", "bad"],
] as const)("a verdict %s is shown in the colour of %s everywhere", (verdict, tone) => {
  const banner = renderHtml(<VerdictBanner comparison={{ ...comparison, verdict }} />);
  expect(banner).toContain(`text-${tone}`);
  expect(banner).toContain(`bg-${tone}-ground`);
  expect(tones(banner)).toEqual([tone]);
  const table = renderHtml(<EffectTable scores={[{ ...score, verdict }]} />);
  expect(textOf(table)).toContain(verdict);
  expect(table).toContain(`tone-${tone}`);
  expect(tones(table)).toEqual([tone]);
});

test.each(["closer", "less_close", "no_difference_seen", "same", "undecided"] satisfies Verdict[])(
  "a verdict %s, which says nothing about better or worse, is neither green nor red",
  (verdict) => {
    expect(tones(renderHtml(<VerdictBanner comparison={{ ...comparison, verdict }} />))).toEqual([]);
    expect(tones(renderHtml(<EffectTable scores={[{ ...score, verdict }]} />))).toEqual([]);
  },
);
