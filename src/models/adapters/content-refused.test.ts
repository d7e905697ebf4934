import { expect, test } from "vitest";
import { explainErrorObject, explainOpenaiFailure } from "./openai-error.ts";

const url = new URL("https://models.test/v1/chat/completions");
const explain = (status: number, error: object) =>
  explainOpenaiFailure({ status, url, contentType: "application/json", body: JSON.stringify({ error }) });

test.each([
  [
    "Azure",
    400,
    {
      message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      param: "prompt",
      code: "content_filter",
      innererror: { code: "ResponsibleAIPolicyViolation" },
    },
  ],
  [
    "OpenAI",
    400,
    {
      message: "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
      code: "invalid_prompt",
    },
  ],
  ["OpenRouter", 403, { code: 403, message: "Input was flagged", metadata: { reasons: ["violence"] } }],
  ["DeepSeek", 400, { message: "Content Exists Risk", type: "invalid_request_error" }],
  ["Alibaba", 400, { code: "data_inspection_failed", message: "Input data may contain inappropriate content." }],
])("recognizes a content filter of %s", (_name, status, error) => {
  expect(explain(status, error)).toEqual({
    code: "upstream_rejected",
    detail: `HTTP ${status}: the content filter of models.test refused the conversation.`,
    refusesContent: true,
  });
  expect(explainErrorObject(error, url)).toEqual({
    code: "upstream_rejected",
    detail: "The content filter of models.test refused the conversation.",
  });
});

test.each([
  [403, { message: "You do not have access to this model." }],
  [400, { message: "'content' must be a string" }],
  [400, { message: "Unsupported value: 'temperature'", param: "temperature" }],
])("does not take another %s for a content filter: %j", (status, error) => {
  expect(explain(status, error)?.refusesContent).toBeUndefined();
});
