import { expect, test } from "vitest";
import { explainOpenaiFailure } from "./openai-error.ts";

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
])("a model that is not there is no wrong path and no wrong request: %s", (_, status, answer) => {
  expect(explain(status, answer)).toMatchObject({ code: "model_not_found" });
});

test.each<[string, number, object]>([
  ["Z.ai", 429, { error: { code: "1113", message: "Insufficient balance or no resource package." } }],
  ["xAI", 429, { code: "exhausted", error: "Your team 1 has either used all available credits or reached its limit." }],
  ["xAI, of late", 403, { code: "denied", error: "Your team 1 has either used all available credits or reached" }],
  ["Alibaba", 400, { error: { code: "Arrearage", message: "Access denied, please make sure your account is fine." } }],
])("an account that is empty is no limited rate and no wrong key: %s", (_, status, answer) => {
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
])("whatever else is left to its status: %s", (_, status, answer) => {
  expect(explain(status, answer)).toBeNull();
});
