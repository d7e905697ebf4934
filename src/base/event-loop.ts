/** Rounds of the event loop at least: on a busy machine a few milliseconds are over before the first one. */
const fewestRounds = 16;

/**
 * Lets everything else that waits for the event loop go on for so long. One round of the loop is not enough where many wait: it accepts
 * only one connection, and long work in every round would keep hundreds of clients waiting until all of it is done.
 */
export async function yieldToEventLoop(ms: number): Promise<void> {
  const until = performance.now() + ms;
  for (let round = 0; round < fewestRounds || performance.now() < until; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
