import { expect, test } from "vitest";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";
import { toSpans } from "./send-otlp.ts";

const failure = { code: "upstream_error", detail: "", upstream_status: 500, tries: 1, retryable: true } as const;

test("does not pass an attempt with a missing reply", async () => {
  const model: ChatModel = async (request) =>
    lastUserMessage(request) === "q2" ? { ok: false, error: failure, latency_ms: 1 } : sampleReply("a1");
  await using bench = await startBench({ models: { model } });
  const response = await bench.evaluate({ test_batch: numberedScenario("s", 2) });
  const { spans } = toSpans(response, { captureContent: false });
  const attempt = spans.find(({ name }) => name === "attempt s");
  expect(attempt?.attributes).toContainEqual({ key: "test.case.result.status", value: { stringValue: "fail" } });
});
