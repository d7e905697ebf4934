/** What an attempt under way still needs of the budget of its run. */
export interface CallNeed {
  /** So many of its calls have begun, or are not needed after all. */
  less(calls: number): void;
  /** It is over, however far it came. */
  end(): void;
}

interface CallNeeds {
  /** Waits until an attempt that needs so many calls may begin. Rejects when `signal` aborts meanwhile. */
  begin(calls: number, signal: AbortSignal): Promise<CallNeed>;
  /** What the budget bears may have changed. */
  look(): void;
}

interface Waiting {
  readonly calls: number;
  readonly begin: (need: CallNeed) => void;
}

/**
 * Lets attempts begin as long as the budget bears what all of them need: many that share out what is enough for a few would all end
 * short. Nobody waits for ever: where nothing is under way the next one begins all the same. For what then cannot be had whole
 * nothing is kept back.
 */
export function createCallNeeds({
  bears,
}: {
  /** Whether the budget bears so many calls more, of so many attempts. */
  bears: (all: { calls: number; attempts: number }) => boolean;
}): CallNeeds {
  let underWay = 0;
  let needed = 0;
  const waiting = new Set<Waiting>();

  function needOf(calls: number): CallNeed {
    let left = calls;
    underWay += 1;
    needed += calls;

    function less(fewer: number): void {
      const given = Math.min(fewer, left);
      left -= given;
      needed -= given;
    }

    return {
      less(fewer) {
        less(fewer);
        look();
      },
      end() {
        less(left);
        underWay -= 1;
        look();
      },
    };
  }

  function look(): void {
    for (const one of waiting) {
      const isBorne = bears({ calls: needed + one.calls, attempts: underWay + 1 });
      if (!isBorne && underWay > 0) continue;
      waiting.delete(one);
      one.begin(needOf(isBorne ? one.calls : 0));
    }
  }

  return {
    look,
    async begin(calls, signal) {
      signal.throwIfAborted();
      if (calls === 0) return needOf(0);
      const { promise, resolve, reject } = Promise.withResolvers<CallNeed>();
      const one: Waiting = { calls, begin: resolve };
      const leave = (): void => {
        // One that has begun meanwhile is ended by whoever began it.
        if (waiting.delete(one)) reject(signal.reason);
      };
      signal.addEventListener("abort", leave);
      waiting.add(one);
      look();
      try {
        return await promise;
      } finally {
        signal.removeEventListener("abort", leave);
      }
    },
  };
}
