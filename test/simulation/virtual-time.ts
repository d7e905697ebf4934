import { createHash } from "node:crypto";
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
  // The one thing that takes real time, in a thread of its own: virtual time would pass or not pass meanwhile as it happens.
  const digest = vi
    .spyOn(crypto.subtle, "digest")
    .mockImplementation(async (_algorithm, data) => toArrayBuffer(createHash("sha256").update(toBytes(data)).digest()));
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
      digest.mockRestore();
    },
  };
}

/**
 * SQLite answers at once, so what follows from a timer is over before the next turn of the event loop, or before the one
 * after which no task has scheduled another turn.
 */
async function settled(): Promise<void> {
  do await new Promise<void>((resolve) => nextTurn(() => resolve()));
  while (process.getActiveResourcesInfo().includes("Immediate"));
}

function toBytes(data: BufferSource): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

function toArrayBuffer({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer {
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
}
