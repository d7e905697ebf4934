/** So many at a time: a few milliseconds of a young process, in which nothing is compiled yet. */
const portion = 32;

const waiting: (() => void)[] = [];
let scheduled = 0;

/**
 * Resolves when it is the caller's turn to do what follows a reply. All who wait take turns in small portions, and between two
 * of them the event loop looks at the network: replies that came meanwhile make room for the next calls first.
 */
export function afterReplies(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (scheduled === 0) schedule();
  });
}

function schedule(): void {
  for (scheduled = 0; scheduled < Math.min(portion, waiting.length); scheduled += 1) setImmediate(next);
}

function next(): void {
  scheduled -= 1;
  waiting.shift()?.();
  if (scheduled === 0) schedule();
}
