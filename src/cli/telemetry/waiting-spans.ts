import type { OtlpSpan } from "./run-spans.ts";

/** Spans that are to be sent, oldest first. */
interface WaitingSpans {
  readonly isEmpty: boolean;
  add(span: OtlpSpan): void;
  /** The next ones, as many as one request may hold. */
  take(): OtlpSpan[];
  /** What was taken and could not be sent goes first. */
  putBack(spans: readonly OtlpSpan[]): void;
}

/** Of one request, and of all that wait for a collector that is away; beyond that the oldest are given up. */
const atOnce = { spans: 500, characters: 4 * 1024 * 1024 };
const most = { spans: 10_000, characters: 64 * 1024 * 1024 };

export function createWaitingSpans(): WaitingSpans {
  const waiting: OtlpSpan[] = [];
  let characters = 0;

  function giveUpOldest(): void {
    while (waiting.length > most.spans || characters > most.characters) characters -= sizeOf(waiting.shift());
  }

  return {
    get isEmpty() {
      return waiting.length === 0;
    },
    add(span) {
      characters += sizeOf(span);
      waiting.push(span);
      giveUpOldest();
    },
    take() {
      let [count, size] = [0, 0];
      for (const span of waiting.slice(0, atOnce.spans)) {
        size += sizeOf(span);
        // One that is too long by itself is sent alone: who refuses it has the others.
        if (count > 0 && size > atOnce.characters) break;
        count += 1;
      }
      const spans = waiting.splice(0, count);
      for (const span of spans) characters -= sizeOf(span);
      return spans;
    },
    putBack(spans) {
      for (const span of spans) characters += sizeOf(span);
      waiting.unshift(...spans);
      giveUpOldest();
    },
  };
}

/** What was said is in it where the operator asks for that; all the rest is short. */
function sizeOf(span: OtlpSpan | undefined): number {
  return (span?.attributes ?? []).reduce(
    (sum, { value }) => sum + ("stringValue" in value ? value.stringValue.length : 0),
    0,
  );
}
