import { expect, test } from "vitest";
import { explainOpenaiFailure, refusesFormat, refusesTools, tooManyTools } from "./openai-error.ts";

const url = new URL("https://api.example.com/v1/chat/completions");

function explain(status: number, answer: object) {
  return explainOpenaiFailure({ status, url, contentType: "application/json", body: JSON.stringify(answer) });
}

test.each<[string, number, object]>([
  ["DeepSeek", 400, { error: { message: "Model Not Exist", type: "invalid_request_error" } }],
  [
    "Kimi",
    404,
    { error: { message: "Not found the model k9 or Permission denied", type: "resource_not_found_error" } },
  ],
  ["OpenRouter", 404, { error: { message: "No endpoints found for x/y:free.", code: 404 } }],
  ["Together", 400, { error: { message: "Unable to access non-serverless model x/y.", code: "model_not_available" } }],
  [
    "Hugging Face",
    400,
    { error: { message: "The requested model 'x' is not supported by any provider.", code: "model_not_supported" } },
  ],
  ["Zhipu", 400, { error: { code: "1211", message: "模型不存在，请检查模型代码。" } }],
  ["Cloudflare", 400, { success: false, errors: [{ code: 5007, message: "AiError: No such model @cf/x or task" }] }],
])("recognizes an unknown model: %s", (_, status, answer) => {
  expect(explain(status, answer)).toMatchObject({ code: "model_not_found" });
});

test.each<[string, number, object]>([
  ["Z.ai", 429, { error: { code: "1113", message: "Insufficient balance or no resource package." } }],
  ["xAI", 429, { code: "exhausted", error: "Your team 1 has either used all available credits or reached its limit." }],
  ["xAI, of late", 403, { code: "denied", error: "Your team 1 has either used all available credits or reached" }],
  ["Alibaba", 400, { error: { code: "Arrearage", message: "Access denied, please make sure your account is fine." } }],
])("recognizes an empty account: %s", (_, status, answer) => {
  expect(explain(status, answer)).toMatchObject({
    code: "upstream_rejected",
    detail: `HTTP ${status}: the account at api.example.com has no credit.`,
    lacksCredit: true,
  });
});

test.each<[string, number, object]>([
  ["a rate that is limited", 429, { error: { code: "1302", message: "Too many requests" } }],
  ["Gemini's, which speaks of a quota", 429, { error: { code: 429, message: "You exceeded your current quota" } }],
  ["a key that is wrong", 403, { code: "denied", error: "The key is not valid here" }],
  [
    "a model without a provider that the user allows",
    404,
    { error: { message: "No endpoints found matching your data" } },
  ],
])("leaves other errors to their status: %s", (_, status, answer) => {
  expect(explain(status, answer)).toBeNull();
});

test.each([
  "this response_format type is unavailable now",
  "this model does not support response format `json_schema`. see supported models at https://console.groq.com",
  "invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
  "response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later",
  "litellm.unsupportedparamserror: bedrock does not support parameters: ['response_format'], for model=x",
  '[{"type":"extra_forbidden","loc":["body","response_format"],"msg":"extra inputs are not permitted"}]',
  "structured outputs are not enabled for this model",
])("recognizes a refused format: %j", (message) => {
  expect(refusesFormat(message)).toBe(true);
});

test.each([
  "bad request",
  "tools.0.custom.input_schema: json schema is invalid. it must match json schema draft 2020-12",
  "the format of the message is wrong",
])("%j is not", (message) => {
  expect(refusesFormat(message)).toBe(false);
});

test.each([
  [
    "invalid 'tools': array too long. expected an array with maximum length 128, but got an array with length 150 instead.",
    "128",
  ],
  ["'tools' : maximum number of items is 128", "128"],
  ["* tools[0].function_declarations: [field_invalid] at most 512 function declarations can be specified.", "512"],
  ["you may not include more than 128 tools in your request.", "128"],
  ["number of tools exceeds 128", "128"],
])("recognizes too many tools: %j", (message, most) => {
  expect(tooManyTools(message, "host")).toBe(
    `host takes at most ${most} tools in one request: allow those that are needed with x-agent-tools.`,
  );
});

test("recognizes a limit without a number", () => {
  expect(tooManyTools("too many tools", "host")).toContain("fewer tools");
});

test.each([
  "invalid 'messages[2].tool_calls': array too long. expected an array with maximum length 128",
  "tools[0].function.description: string too long. expected a string with maximum length 1024",
  "this model does not support tools",
  "too many tokens",
])("leaves %j alone", (message) => {
  expect(tooManyTools(message, "host")).toBeNull();
});

test.each([
  "registry.ollama.ai/library/gemma:2b does not support tools",
  "tools param requires --jinja flag",
  '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  "no endpoints found that support tool use. to learn more about provider routing, visit: https://openrouter.ai",
  "`tool calling` is not supported with this model",
  "deepseek-reasoner does not support function calling",
  "unsupported parameter: 'tools' is not supported with this model.",
  "unrecognized request argument supplied: tools",
  "litellm.unsupportedparamserror: ollama does not support parameters: ['tools'], for model=gemma",
  "this model doesn't support tool use.",
  "unexpected role 'tool' after role 'assistant'",
  '[{"type":"extra_forbidden","loc":["body","tools"],"msg":"extra inputs are not permitted","input":[{"properties":{}}]}]',
])("recognizes refused tools: %j", (message) => {
  expect(refusesTools(message)).toBe(true);
});

test.each([
  "invalid schema for function 'w': 'oneof' is not supported in function parameters.",
  "invalid schema for function 'w': in context=('properties', 'x'), array schema missing items.",
  "tools[0].function.name: string does not match pattern",
  "tools.0.custom.input_schema: this keyword is not supported",
  "unsupported tool type: 'web_search' is not supported",
  "tool 'web' is not available",
  "the tools are wrong",
  "",
  "bad request",
])("%j does not", (message) => {
  expect(refusesTools(message)).toBe(false);
});
