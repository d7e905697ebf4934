/** The fewest rounds of the event loop: on a busy machine a few milliseconds pass within one. */
const fewestRounds = 16;
/** A round in which nothing was waiting takes a few microseconds; accepting a connection takes longer than this. */
const emptyRoundMs = 0.03;
/** This many empty rounds in a row mean that nothing else is waiting. */
const emptyRounds = 12;

/**
 * Lets everything else that waits for the event loop proceed: until nothing does, for at most this many milliseconds. A single round is
 * not enough when many clients wait: it accepts only one connection, so long work in every round would delay hundreds of clients.
 */
export async function yieldToEventLoop(ms: number): Promise<void> {
  // The clock starts in a round of its own: callers that were resumed together with this one work in the current round.
  await nextRound();
  const start = performance.now();
  let last = start;
  let empty = 0;
  for (let round = 1; round < fewestRounds || (last - start < ms && empty < emptyRounds); round += 1) {
    await nextRound();
    const now = performance.now();
    empty = now - last < emptyRoundMs ? empty + 1 : 0;
    last = now;
  }
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
