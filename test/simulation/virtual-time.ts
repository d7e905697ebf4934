import { vi } from "vitest";

const nextTurn = globalThis.setImmediate;

/** Time that passes only when everything that could happen now has happened. Everything that waits, waits in it. */
export interface VirtualTime extends Disposable {
  now(): number;
  /** Lets time pass from one timer to the next until `done`, or until so much has passed. Tells whether it was done. */
  passUntil(done: () => boolean, limitMs: number): Promise<boolean>;
  /** Nothing that waits will happen. */
  forget(): void;
}

export function startVirtualTime(): VirtualTime {
  vi.useFakeTimers({
    now: 1_700_000_000_000,
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance", "Date"],
  });
  return {
    now: () => performance.now(),
    async passUntil(done, limitMs) {
      const limit = performance.now() + limitMs;
      let idle = 0;
      await settled();
      while (!done()) {
        // Reading a long list yields to the event loop now and then, so one empty turn does not mean that nothing goes on.
        idle = vi.getTimerCount() === 0 ? idle + 1 : 0;
        if (performance.now() > limit || idle > 100) return false;
        if (idle === 0) vi.advanceTimersToNextTimer();
        await settled();
      }
      return true;
    },
    forget: () => vi.clearAllTimers(),
    [Symbol.dispose]() {
      vi.clearAllTimers();
      vi.useRealTimers();
    },
  };
}

/** SQLite answers at once, so what follows from a timer is over before the next turn of the event loop. */
function settled(): Promise<void> {
  return new Promise((resolve) => nextTurn(() => resolve()));
}
