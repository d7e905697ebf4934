import { expect, test } from "vitest";
import { unwrapFence } from "./unwrap-fence.ts";

test.each([
  ["```json\n{}\n```", "{}"],
  ["\n```\n{}\n```  ", "{}"],
  ["```JSONC \r\n{}\r\n```", "{}"],
  ["```javascript\n{}\n```", "{}"],
  ["```json {}```", "{}"],
  ["```{\n}```", "{\n}"],
  ["```5```", "5"],
])("unwraps %j to %j", (text, inside) => {
  expect(unwrapFence(text)).toBe(inside);
});

test.each(["{}", "Here: ```json\n{}\n```", "```json\n{}", "`{}`"])("%j is not a fenced block", (text) => {
  expect(unwrapFence(text)).toBe(text);
});
