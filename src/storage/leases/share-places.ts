import type { ClaimOptions } from "../../contract/ports/queue.ts";
import type { ServedRun, ServingOrder } from "./serving-order.ts";
import { shareOut } from "./share-out.ts";

interface SharedPlaces {
  /** How many attempts of which run. */
  readonly shares: ReadonlyMap<string, number>;
  /** It is one, and the worker is to take nothing else before it has ended. */
  readonly alone: boolean;
}

/**
 * Shares the places of a worker out, fairly. What is to be carried out alone comes before everything else: a worker that holds
 * something gets nothing until it can take that.
 */
export function sharePlaces(
  runs: readonly ServedRun[],
  { limit, spare = 0, perRun, busy = false, order }: ClaimOptions & { readonly order: ServingOrder },
): SharedPlaces {
  const arranged = order.arrange(runs);
  const suspects = new Set(runs.filter(({ alone }) => alone).map(({ id }) => id));
  const one = shareOut(
    arranged.filter(({ id }) => suspects.has(id)),
    { places: 1, perRun },
  );
  if (one.size > 0) return { shares: busy ? new Map() : one, alone: true };
  return { shares: shareOut(arranged, { places: limit, spare, perRun }), alone: false };
}
