import { beforeEach, expect, test, vi } from "vitest";
import { listChats, loadChat, removeChat, storeChat } from "../../../web/chat/chat-history.ts";
import { readNumber, toAgentSettings } from "../../../web/chat/chat-settings.ts";
import type { ChatConversation } from "../../../web/chat/conversation.ts";
import { highlightCode } from "../../../web/markdown/highlight-code.ts";

const chat = (id: string, message = `Hello ${id}`): ChatConversation => [{ id, message, answers: [] }];

beforeEach(() => {
  const values = new Map<string, string>();
  vi.stubGlobal("dispatchEvent", () => true);
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => values.get(key) ?? null,
    removeItem: (key: string) => void values.delete(key),
    setItem(key: string, value: string) {
      const others = [...values].filter(([name]) => name !== key).reduce((sum, [, text]) => sum + text.length, 0);
      if (others + value.length > 5000) throw new DOMException("full", "QuotaExceededError");
      values.set(key, value);
    },
  });
  return () => vi.unstubAllGlobals();
});

test("conversations are listed newest first, opened and deleted, and a longer one replaces its beginning", () => {
  storeChat(chat("a"));
  storeChat(chat("b"));
  storeChat([...chat("a"), ...chat("a2")]);
  expect(listChats().map(({ id, turns }) => [id, turns])).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
  expect(loadChat("a")).toHaveLength(2);
  removeChat("a");
  expect(listChats().map(({ title }) => title)).toEqual(["Hello b"]);
  expect(loadChat("a")).toEqual([]);
});

test("when the browser's storage is full, the oldest conversations make room", () => {
  for (const id of ["a", "b", "c", "d"]) storeChat(chat(id, "x".repeat(1500)));
  const kept = listChats().map(({ id }) => id);
  expect(kept[0]).toBe("d");
  expect(kept).not.toContain("a");
  expect(loadChat("a")).toEqual([]);
  expect(loadChat("d")).toHaveLength(1);
});

test("settings of a request: empty fields and numbers out of range are left out", () => {
  const empty = { systemPrompt: " ", temperature: "", topP: "", maxTokens: "", seed: "" };
  expect(toAgentSettings(empty)).toEqual({});
  expect(
    toAgentSettings({ ...empty, systemPrompt: "Be brief.", temperature: "0,3", topP: "7", maxTokens: "1.5" }),
  ).toEqual({ system_prompt: "Be brief.", parameters: { temperature: 0.3 } });
  expect(readNumber("seed", "-7")).toBe(-7);
  expect(readNumber("maxTokens", "0")).toBeNull();
});

test("code is split into tokens that give the code again, whatever its language", () => {
  const kinds = (code: string, language: string) =>
    highlightCode(code, language).flatMap(({ kind, text }) => (kind ? [`${kind}:${text}`] : []));
  expect(kinds('const a = "b // c"; // 1\n', "ts")).toEqual(["keyword:const", 'string:"b // c"', "comment:// 1"]);
  expect(kinds("def f(x): # doubles\n  return 2 * x", "python")).toEqual([
    "keyword:def",
    "comment:# doubles",
    "keyword:return",
    "number:2",
  ]);
  expect(kinds("SELECT 'it' -- all", "sql")).toEqual(["keyword:SELECT", "string:'it'", "comment:-- all"]);
  for (const [code, language] of [
    ["a 'unclosed\n/* open", "js"],
    ["“‘𝓍’” 1e9 <b>", "html"],
    ["anything", "brainfuck"],
    ["x".repeat(30_000), "js"],
    ["constructor toString __proto__", "js"],
  ] as const) {
    expect(
      highlightCode(code, language)
        .map(({ text }) => text)
        .join(""),
    ).toBe(code);
  }
});
