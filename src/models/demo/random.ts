import { hashText } from "../../base/hash.ts";
import type { ChatRequest } from "../../contract/ports/chat-model.ts";
import { conversationText } from "./conversation.ts";

/** Numbers in [0, 1) that follow from `seed` alone. */
export type Random = () => number;

/** mulberry32, begun with the hash of the seed. */
export function createRandom(seed: string): Random {
  let state = hashText(seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Fresh dice for each call, so that attempts differ; the same dice again for the same seed and order of calls.
 * A request with a `seed` of its own gets the same dice every time, as from a provider that honours it.
 */
export function createDice(seed: string): (request: ChatRequest) => Random {
  let calls = 0;
  return ({ messages, parameters }) => {
    calls += 1;
    const source = parameters?.seed === undefined ? `${seed} ${calls}` : `fixed ${parameters.seed}`;
    return createRandom(`${source}\n${conversationText(messages)}`);
  };
}

export function pick<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random() * choices.length)] ?? choices[0];
}
