import { expect, test } from "vitest";
import type { ChatOptions } from "../contract/ports/chat-model.ts";
import { Interaction } from "../contract/schemas/scenario.ts";
import { fakeModel } from "./testing/fake-model.ts";
import { streamedModel, wantsStream } from "./streamed-model.ts";

test("a run streams when it says so, or when a check needs the time to the first token", () => {
  expect(wantsStream({}, [])).toBe(false);
  expect(wantsStream({ stream: true }, [])).toBe(true);
  const check = { type: "latency", max_ms: 200, of: "first_token" } as const;
  expect(wantsStream({ scorers: ["token_f1", check] }, [])).toBe(true);
  expect(wantsStream({ scorers: [{ ...check, of: "reply" }] }, [])).toBe(false);
  expect(wantsStream({ stream: false, scorers: [check] }, [])).toBe(false);
  const turn = Interaction.parse({ id: "1", user_message: "Hi", interaction_type: "opening", checks: [check] });
  const scenario = { id: "a", description: "", tags: [], interactions: [turn] };
  expect(wantsStream({}, [scenario])).toBe(true);
  expect(wantsStream({ stream: false }, [scenario])).toBe(false);
});

test("the wish to stream reaches the model with everything else", async () => {
  const seen: ChatOptions[] = [];
  const answer = fakeModel(() => "Hi");
  const model = streamedModel((request, options) => {
    seen.push(options);
    return answer(request, options);
  });
  const { signal } = new AbortController();
  await model({ messages: [] }, { signal });
  expect(seen).toEqual([{ signal, stream: true }]);
});
