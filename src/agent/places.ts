/** Lets a fixed number of works go on at the same time; the others wait for their turn, in the order they came. */
export interface Places {
  take<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createPlaces(count: number): Places {
  const waiting: (() => void)[] = [];
  let free = Math.max(1, count);

  return {
    async take(work) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}
