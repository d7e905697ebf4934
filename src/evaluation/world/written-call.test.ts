import { expect, test } from "vitest";
import { writtenCall } from "./written-call.ts";

const tools = [{ name: "get_order" }, { name: "cancel" }];

test.for([
  ['Sure!\n```json\n{"name": "get_order", "arguments": {"id": 7}}\n```', "get_order"],
  ['```\n[{"tool": "cancel", "args": {}}]\n```', "cancel"],
  ['<tool_call>\n{"name": "cancel", "arguments": {"id": 7}}\n</tool_call>', "cancel"],
  ['{"name": "get_order", "parameters": {"id": "7"}}', "get_order"],
  ['{"function": {"name": "get_order", "arguments": "{\\"id\\": 7}"}}', "get_order"],
  ['```tool_call\n{"tool": "get_order", "args": {"id": 1}}\n{"tool": "cancel", "args": {"id": 1}}\n```', "get_order"],
  ['```json\n{"name": "refund", "arguments": {"id": 7}}\n```', null],
  ['```json\n{"name": "get_order"}\n```', null],
  ["The tool get_order takes {id}.", null],
  ['Your order: ```json\n{"id": 7, "status": "sent"}\n```', null],
] as const)("%s", ([text, name]) => {
  expect(writtenCall(text, tools)).toBe(name);
});
