import { expect, test } from "vitest";
import { refusesTools } from "./tools-refused.ts";

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
])("%j refuses tools", (message) => {
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
