import { expect, test } from "vitest";
import { ServiceError } from "../contract/errors.ts";
import type { Store } from "../contract/ports/store.ts";
import { createConcluder } from "./concluder.ts";

/** A concluder of two runs that have ended already, of which reading the first one fails. */
function concluderOf(failure: Error) {
  const ended: string[] = [];
  const runs = {
    unconcluded: async () => ["first", "second"],
    async get(id: string) {
      if (id === "first") throw failure;
      return { id, state: "completed" };
    },
  };
  const concluder = createConcluder({
    store: { runs } as unknown as Store,
    now: Date.now,
    figuresOf: async () => undefined,
    onEnd: (id) => ended.push(id),
  });
  return { ...concluder, ended };
}

test("a run that cannot be ended keeps no other from its end, and is told of", async () => {
  const damaged = new SyntaxError("no JSON");
  const drained = concluderOf(damaged);
  await expect(drained.concludeDrained()).rejects.toBe(damaged);
  expect(drained.ended).toEqual(["second"]);
  const forgotten = concluderOf(damaged);
  await forgotten.concludeForgotten();
  await expect(forgotten.concludeForgotten()).rejects.toBe(damaged);
  expect(forgotten.ended).toEqual(["second"]);
});

test("a store that is away is not asked for one run after the other", async () => {
  const away = new ServiceError("storage_unavailable", "The database does not answer.");
  const { concludeDrained, ended } = concluderOf(away);
  await expect(concludeDrained()).rejects.toBe(away);
  expect(ended).toEqual([]);
});
