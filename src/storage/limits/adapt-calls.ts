/** How many calls at once an endpoint bears, and what led there. */
interface AdaptiveCalls {
  readonly calls: number;
  readonly successes: number;
  readonly halved_at: number;
}

/** Refusals that come together were caused by the same crowd: they halve once. */
const restMs = 1_000;

/** Halves when the endpoint refused calls, and adds one when as many calls as may run at once have gone well. */
export function adaptCalls(
  { calls, successes, halved_at }: AdaptiveCalls,
  { ok, refused, most, now }: { ok: number; refused: boolean; most: number; now: number },
): AdaptiveCalls {
  if (refused) {
    const rested = now - halved_at >= restMs || halved_at > now;
    return {
      calls: rested ? Math.max(1, Math.floor(calls / 2)) : calls,
      successes: 0,
      halved_at: rested ? now : halved_at,
    };
  }
  let grown = Math.min(calls, most);
  let counted = successes + ok;
  while (grown < most && counted >= grown) {
    counted -= grown;
    grown += 1;
  }
  return { calls: grown, successes: grown < most ? counted : 0, halved_at };
}
