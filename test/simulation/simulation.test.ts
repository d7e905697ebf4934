import fc from "fast-check";
import { expect, test } from "vitest";
import { newSeed, patienceMs, sizes } from "../support/sizes.ts";
import { openWorldStore, play, story } from "./world.ts";
import { startVirtualTime } from "./virtual-time.ts";

/** Replays one failure: `SIMULATION_SEED=… SIMULATION_PATH=… npx vitest run test/simulation`, as the failure says. */
const seed = newSeed("SIMULATION_SEED");
const path = process.env["SIMULATION_PATH"];

test(
  `${sizes.stories} stories of processes that die, pause and share an endpoint keep every promise`,
  async ({ signal }) => {
    using time = startVirtualTime();
    const database = await openWorldStore();
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        // Given up, it must not go on in virtual time beside other tests.
        signal.throwIfAborted();
        const { problems } = await play(told, { database, time });
        expect(problems, `replay with SIMULATION_SEED=${seed}`).toEqual([]);
      }),
      { seed, numRuns: sizes.stories, ...(path !== undefined && { path }) },
    );
    await database.close();
  },
  patienceMs,
);
