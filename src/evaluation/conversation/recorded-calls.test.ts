import { expect, test } from "vitest";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { withoutEarlierCalls } from "./recorded-calls.ts";

const calls = [{ id: "get:0", name: "get", arguments: '{"id":1}' }];
const earlier = [{ id: "get:0", name: "get", arguments: { id: 1 } }];

test("a call that an earlier turn has is left out, unless the answer shows that it is one of this turn", () => {
  const reply = sampleReply("Done.", { reported_calls: calls });
  expect(withoutEarlierCalls(reply, earlier)).toMatchObject({ reported_calls: [] });
  expect(withoutEarlierCalls(reply, [])).toMatchObject({ reported_calls: calls });
  expect(withoutEarlierCalls({ ...reply, calls_of_turn: true }, earlier)).toMatchObject({ reported_calls: calls });
});
