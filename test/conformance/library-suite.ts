import { describe, expect, test } from "vitest";
import type { Library } from "../../src/contract/ports/library.ts";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";

function scenario(id: string, overrides: Partial<Scenario> = {}): Scenario {
  const interaction = {
    id: "1",
    user_message: "Hello",
    agent_reply: "",
    reference_reply: "Hi \u0000 \ud800",
    interaction_type: "opening",
    reference_metadata: {},
    generated_metadata: {},
  };
  return { id, description: "", tags: [], interactions: [interaction], ...overrides };
}

/** The promises of every driver about the scenario library. */
export function librarySuite(name: string, open: () => Promise<{ library: Library } & AsyncDisposable>): void {
  const put = (library: Library, value: Scenario, version: string, at = 1) =>
    library.put([{ scenario: value, version }], { at, demo: false });

  describe(`${name}: scenario library`, () => {
    test("keeps a scenario code unit by code unit, under any id", async () => {
      await using storage = await open();
      const odd = scenario("../x'); drop table run; -- \u0000");
      await put(storage.library, odd, "v1");
      expect((await storage.library.get(odd.id))?.scenario).toEqual(odd);
    });

    test("the same content is no new version; an older one stored again is the newest", async () => {
      await using storage = await open();
      const { library } = storage;
      expect(await put(library, scenario("a"), "v1", 1)).toEqual([{ id: "a", version: "v1", created: true }]);
      expect(await put(library, scenario("a"), "v1", 2)).toEqual([{ id: "a", version: "v1", created: false }]);
      await put(library, scenario("a", { description: "new" }), "v2", 3);
      expect((await library.get("a"))?.version).toBe("v2");
      await put(library, scenario("a"), "v1", 4);
      expect((await library.get("a"))?.version).toBe("v1");
      expect((await library.get("a", "v2"))?.scenario.description).toBe("new");
      expect(await library.versions("a")).toEqual([
        { version: "v1", created_at: 4 },
        { version: "v2", created_at: 3 },
      ]);
      expect((await library.list({ limit: 10 })).entries).toMatchObject([{ id: "a", version: "v1", versions: 2 }]);
      const many = Array.from({ length: 1_200 }, (_, index) => `none ${index} \u0000`);
      expect([...(await library.newest([...many, "a"]))]).toEqual([["a", "v1"]]);
    });

    test("long scenarios are listed a few at a time, and none is left out", async () => {
      await using storage = await open();
      const { library } = storage;
      const description = "long ".repeat(300_000);
      for (const id of ["a", "b", "c", "d", "e"]) await put(library, scenario(id, { description }), "v1");
      await put(library, scenario("f", { description: description.repeat(4) }), "v1");
      const pages: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const { entries, next_cursor } = await library.list({ limit: 9, search: "LONG", cursor });
        pages.push(entries.map(({ id }) => id).join(""));
        cursor = next_cursor;
      }
      expect(pages).toEqual(["ab", "cd", "e", "f"]);
    });

    test("is listed in pages and found by id, by words and by tag", async () => {
      await using storage = await open();
      const { library } = storage;
      for (const id of ["b", "a", "c"]) await put(library, scenario(id, { tags: [`tag-${id}`] }), "v1");
      await put(library, scenario("d", { description: "About 100% Refunds, tag-a" }), "v1");
      const first = await library.list({ limit: 3 });
      expect(first.entries.map(({ id }) => id)).toEqual(["a", "b", "c"]);
      const rest = await library.list({ limit: 3, cursor: first.next_cursor ?? "" });
      expect(rest).toMatchObject({ entries: [{ id: "d" }], next_cursor: null });
      expect((await library.list({ limit: 9, search: "100% refund" })).entries.map(({ id }) => id)).toEqual(["d"]);
      expect((await library.list({ limit: 9, tag: "tag-a" })).entries.map(({ id }) => id)).toEqual(["a"]);
      expect(await library.list({ limit: 9, id: "a" })).toMatchObject({ entries: [{ id: "a" }], next_cursor: null });
      expect(await library.list({ limit: 9, id: "A" })).toEqual({ entries: [], next_cursor: null });
    });

    test("a line break is not found as a letter, and a backslash is", async () => {
      await using storage = await open();
      const { library } = storage;
      await put(library, scenario("order-1", { description: "Order status", tags: ["ten"] }), "v1");
      await put(library, scenario("path-1", { description: "C:\\north\nnext" }), "v1");
      const found = async (search: string) => (await library.list({ limit: 9, search })).entries.map(({ id }) => id);
      expect(await found("no")).toEqual(["path-1"]);
      expect(await found("ns")).toEqual([]);
      expect(await found("c:\\north\nnext")).toEqual(["path-1"]);
      expect(await found("1\norder")).toEqual(["order-1"]);
      expect((await library.list({ limit: 9, tag: "ten" })).entries).toHaveLength(1);
    });

    test("of versions that are stored at once, one is the newest", async () => {
      await using storage = await open();
      const { library } = storage;
      for (let round = 0; round < 5; round += 1) {
        const versions = ["v1", "v2", "v3", "v4"].map((version) => `${round} ${version}`);
        await Promise.all(versions.map((version) => put(library, scenario("a", { description: version }), version)));
        expect((await library.list({ limit: 10 })).entries).toMatchObject([{ id: "a", versions: 4 * (round + 1) }]);
      }
    });

    test("a demo scenario that the user stored stays when the demo goes", async () => {
      await using storage = await open();
      const { library } = storage;
      const seed = (id: string) => library.put([{ scenario: scenario(id), version: "v1" }], { at: 1, demo: true });
      await seed("reverted");
      await put(library, scenario("reverted", { description: "edited" }), "v2");
      await put(library, scenario("reverted"), "v1");
      await seed("saved");
      expect(await put(library, scenario("saved"), "v1")).toMatchObject([{ created: false }]);
      await seed("edited");
      await put(library, scenario("edited", { description: "edited" }), "v2");
      // A demo that comes after the user's own version.
      await put(library, scenario("mine", { description: "mine" }), "v0");
      await seed("mine");
      expect(await library.removeDemo()).toBe(2);
      expect((await library.list({ limit: 9 })).entries.map(({ id, version }) => [id, version])).toEqual([
        ["edited", "v2"],
        ["mine", "v0"],
        ["reverted", "v1"],
        ["saved", "v1"],
      ]);
      expect((await library.get("mine"))?.version).toBe("v0");
    });

    test("another scenario with the same turns is found, in its newest version", async () => {
      await using storage = await open();
      const { library } = storage;
      const other = [{ ...scenario("x").interactions[0]!, user_message: "Good bye" }];
      for (const id of ["b", "a", "gone"]) await put(library, scenario(id), "v1");
      await put(library, scenario("gone", { interactions: other }), "v2");
      const asked = [
        scenario("new", { description: "other words about it" }),
        scenario("a"),
        scenario("gone"),
        scenario("alone", { interactions: [...other, ...other] }),
      ];
      expect([...(await library.sameTurns(asked))].toSorted()).toEqual([
        ["a", "b"],
        ["gone", "a"],
        ["new", "a"],
      ]);
      expect(await library.sameTurns([])).toEqual(new Map());
    });

    test("removes a scenario with all its versions, and the demo with one call", async () => {
      await using storage = await open();
      const { library } = storage;
      await put(library, scenario("mine"), "v1");
      await library.put([{ scenario: scenario("example"), version: "v1" }], { at: 1, demo: true });
      expect(await library.removeDemo()).toBe(1);
      expect((await library.list({ limit: 9 })).entries.map(({ id }) => id)).toEqual(["mine"]);
      expect(await library.remove("mine")).toBe(true);
      expect(await library.remove("mine")).toBe(false);
      expect(await library.get("mine")).toBeNull();
    });
  });
}
