import { expect, test } from "vitest";
import { refusesFormat } from "./format-refused.ts";

test.each([
  "this response_format type is unavailable now",
  "this model does not support response format `json_schema`. see supported models at https://console.groq.com",
  "invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
  "response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later",
  "litellm.unsupportedparamserror: bedrock does not support parameters: ['response_format'], for model=x",
  '[{"type":"extra_forbidden","loc":["body","response_format"],"msg":"extra inputs are not permitted"}]',
  "structured outputs are not enabled for this model",
])("%j is about the form", (message) => {
  expect(refusesFormat(message)).toBe(true);
});

test.each([
  "bad request",
  "tools.0.custom.input_schema: json schema is invalid. it must match json schema draft 2020-12",
  "the format of the message is wrong",
])("%j is not", (message) => {
  expect(refusesFormat(message)).toBe(false);
});
