import fc from "fast-check";
import { expect, test } from "vitest";
import { newSeed, patienceMs, sizes } from "../support/sizes.ts";
import { openWorldStore, play, story } from "./world.ts";
import { startVirtualTime } from "./virtual-time.ts";

/** A failure prints both: `SIMULATION_SEED=… SIMULATION_PATH=… npx vitest run test/simulation` replays it. */
const seed = newSeed("SIMULATION_SEED");
const path = process.env["SIMULATION_PATH"];

test(
  `${sizes.stories} stories of processes that die, pause and share an endpoint keep every promise`,
  async ({ signal }) => {
    process.stdout.write(`${sizes.stories} stories, SIMULATION_SEED=${seed}\n`);
    using time = startVirtualTime();
    const database = await openWorldStore();
    await fc.assert(
      fc.asyncProperty(story, async (events) => {
        // After a timeout it must not continue in virtual time beside other tests.
        signal.throwIfAborted();
        const { problems } = await play(events, { database, time });
        expect(problems, `replay with SIMULATION_SEED=${seed}`).toEqual([]);
      }),
      { seed, numRuns: sizes.stories, ...(path !== undefined && { path }) },
    );
    await database.close();
  },
  patienceMs,
);
