import { describe, expect, test } from "vitest";
import type { VerdictRecord } from "../../src/contract/ports/store.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { sampleRun } from "./sample-runs.ts";
import type { OpenStorage } from "./storage-under-test.ts";
import { created, ending } from "./suite-helpers.ts";

export const sampleVerdict = (fields: Partial<VerdictRecord> = {}): VerdictRecord => ({
  scenario_index: 0,
  attempt: 1,
  turn_index: 0,
  question: "judge_correctness",
  against: "",
  rater: "alice",
  adjudication: false,
  choice: "partial",
  value: 0.5,
  comment: null,
  sampling: "random",
  asked: "a1",
  given_at: 1_700_000_000_000,
  ...fields,
});

/** What every driver promises about people's verdicts. */
export function verdictsSuite(name: string, open: OpenStorage): void {
  describe(`${name}: verdicts`, () => {
    test("keeps one verdict per reply, question and person, code unit by code unit", async () => {
      await using storage = await open();
      const run = sampleRun({ scenarios: 2 });
      await storage.store.runs.create(run);
      const texts = hostileTexts.map(([, text]) => text.slice(0, 90));
      const verdicts = [
        ...texts.map((text, index) =>
          sampleVerdict({
            rater: `${index} ${text}`,
            choice: text,
            comment: text,
            value: index / 100,
            given_at: index,
          }),
        ),
        sampleVerdict({ scenario_index: 1, question: "review" }),
        sampleVerdict({ scenario_index: 1, question: "preference", against: "other-run" }),
      ];
      expect(await storage.store.verdicts.change(run.id, { put: verdicts, withdraw: [] })).toBe(true);
      const stored = await storage.store.verdicts.ofRun(run.id);
      expect(stored).toHaveLength(verdicts.length);
      expect(stored).toEqual(expect.arrayContaining(verdicts));
      expect(stored.slice(0, texts.length)).toEqual(verdicts.slice(0, texts.length));
    });

    test("keeps a skipped reply once per reply, question and person, and goes with the run", async () => {
      await using storage = await open();
      const run = sampleRun({ scenarios: 2 });
      await storage.store.runs.create(run);
      const {
        choice: _choice,
        value: _value,
        comment: _comment,
        adjudication: _no,
        given_at,
        ...place
      } = sampleVerdict();
      const skips = hostileTexts.map(([, text], index) => ({
        ...place,
        rater: `${index} ${text.slice(0, 90)}`,
        skipped_at: given_at,
      }));
      for (let twice = 0; twice < 2; twice++)
        expect(await storage.store.verdicts.change(run.id, { put: [], withdraw: [], skip: skips })).toBe(true);
      const stored = await storage.store.verdicts.skips(run.id);
      expect(stored).toHaveLength(skips.length);
      expect(stored).toEqual(expect.arrayContaining(skips));
      expect(await storage.store.verdicts.ofRun(run.id)).toEqual([]);
    });

    test("a later verdict replaces the earlier one, and a reply chosen at random stays so", async () => {
      await using storage = await open();
      const run = sampleRun();
      await storage.store.runs.create(run);
      const change = (put: readonly VerdictRecord[], withdraw: readonly VerdictRecord[] = []) =>
        storage.store.verdicts.change(run.id, { put, withdraw });
      await change([sampleVerdict(), sampleVerdict({ rater: "bob", sampling: "picked" })]);
      const later = { choice: "equivalent", value: 1, given_at: 2_000_000_000_000, comment: "again" };
      await change([
        sampleVerdict({ ...later, sampling: "picked" }),
        sampleVerdict({ ...later, rater: "bob", sampling: "stratified" }),
      ]);
      expect(await storage.store.verdicts.ofRun(run.id)).toEqual([
        sampleVerdict(later),
        sampleVerdict({ ...later, rater: "bob", sampling: "stratified" }),
      ]);
      await change([], [sampleVerdict()]);
      expect(await storage.store.verdicts.ofRun(run.id)).toMatchObject([{ rater: "bob" }]);
    });

    test("one adjudication counts per reply, whoever made it", async () => {
      await using storage = await open();
      const run = sampleRun();
      await storage.store.runs.create(run);
      const decided = (rater: string) => sampleVerdict({ rater, adjudication: true });
      await storage.store.verdicts.change(run.id, { put: [sampleVerdict(), decided("carol")], withdraw: [] });
      await storage.store.verdicts.change(run.id, { put: [decided("dave")], withdraw: [] });
      expect((await storage.store.verdicts.ofRun(run.id)).map(({ rater }) => rater).toSorted()).toEqual([
        "alice",
        "dave",
      ]);
    });

    test("verdicts are deleted with their run, and none are stored with a missing one", async () => {
      await using storage = await open();
      const { run_id } = await created(storage, sampleRun());
      await storage.store.verdicts.change(run_id, { put: [sampleVerdict()], withdraw: [] });
      await storage.store.runs.cancel(run_id);
      await storage.store.runs.finish(run_id, ending({ state: "cancelled" }));
      expect(await storage.store.verdicts.ofRun(run_id)).toHaveLength(1);
      await storage.store.runs.remove(run_id);
      while (await storage.store.runs.tidy({ ended_before: null, keys_before: null }));
      expect(await storage.store.verdicts.ofRun(run_id)).toEqual([]);
      expect(await storage.store.verdicts.change(run_id, { put: [sampleVerdict()], withdraw: [] })).toBe(false);
      expect(await storage.store.verdicts.change("no\u0000run", { put: [], withdraw: [] })).toBe(false);
      expect(await storage.store.verdicts.ofRun("no\u0000run")).toEqual([]);
    });
  });
}
