import { expect, test } from "vitest";
import { parseColumnMapping } from "../documents/columns.ts";
import { importScenarios } from "../import-scenarios.ts";

function read(text: string, mapping = "") {
  const { scenarios, notes } = importScenarios({ text, mapping: parseColumnMapping(mapping) });
  return {
    scenarios,
    turns: scenarios.map(({ interactions }) => interactions.map((turn) => [turn.user_message, turn.reference_reply])),
    notes: notes.filter(({ kind }) => kind !== "kept").map(({ kind, line, message }) => `${kind} ${line} ${message}`),
  };
}

const lines = (...rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
const chat = [
  ["Hi", "Hello!"],
  ["Where is it?", "On its way."],
];

test.each([
  "conversation_id,role,message\nc1,user,Hi\nc1,assistant,Hello!\nc1,user,Where is it?\nc1,assistant,On its way.\n",
  "session_id,turn,speaker,text\nc1,4,agent,On its way.\nc1,1,customer,Hi\nc1,2,agent,Hello!\nc1,3,customer,Where is it?\n",
  "id\trole\tcontent\nc1\tuser\tHi\nc1\tassistant\tHello!\nc1\tuser\tWhere is it?\nc1\tassistant\tOn its way.\n",
])("reads the rows of %j as messages of one chat", (text) => {
  const { scenarios, turns, notes } = read(text);
  expect(scenarios.map(({ id }) => id)).toEqual(["c1"]);
  expect(turns).toEqual([chat]);
  expect(notes).toEqual([]);
});

test.each(["who", "sender_type", "Author Role", "participant"])("recognises %s as the speaker", (name) => {
  expect(read(`thread_id,${name},text\nt,human,Hi\nt,ai,Hello!\n`).turns).toEqual([[["Hi", "Hello!"]]]);
});

test("separates interleaved chats", () => {
  const said = (thread_id: string, role: string, content: string) => ({ thread_id, role, content });
  const { scenarios, turns, notes } = read(
    lines(
      said("a", "system", "Be kind."),
      said("a", "assistant", "Welcome"),
      said("a", "user", "Hi"),
      said("b", "user", "Bye"),
      said("a", "tool", "42"),
      said("a", "assistant", "Hello"),
      said("a", "assistant", "you"),
    ),
  );
  expect(turns).toEqual([[["Hi", "Hello\n\nyou"]], [["Bye", ""]]]);
  expect(scenarios.map(({ system_prompt }) => system_prompt)).toEqual(["Be kind.", undefined]);
  expect(notes).toEqual([
    "dropped 2 an assistant message before the first user message belongs to no turn",
    "dropped 5 a tool message of a table is left out",
  ]);
});

test("merges the labels of question and reply, preferring those of the reply", () => {
  const text = lines(
    { session_id: "s", role: "user", content: "Hi", intent: "greeting", sentiment: "neutral" },
    { session_id: "s", role: "assistant", content: "Hello!", intent: null, sentiment: "positive" },
  );
  expect(read(text).scenarios[0]?.interactions[0]?.reference_metadata).toEqual({
    intent: "greeting",
    sentiment: "positive",
  });
});

test("keeps a speaker column without known roles as metadata", () => {
  const { scenarios } = read("session_id,role,type,content\ns,user,question,Hi\ns,assistant,greeting,Hello!\n");
  expect(scenarios[0]?.metadata).toEqual({ type: "greeting" });
});

test("reads messages that are objects with role and text", () => {
  const text = lines(
    { type: "user", sessionId: "s", message: { role: "user", content: "Hi" } },
    { type: "assistant", sessionId: "s", message: { role: "assistant", content: [{ type: "text", text: "Hello!" }] } },
    { type: "summary", sessionId: "s" },
  );
  expect(read(text).turns).toEqual([[["Hi", "Hello!"]]]);
});

test("joins all messages if no column separates conversations", () => {
  const { scenarios, turns, notes } = read("id,role,content\n1,user,Hi\n2,assistant,Hello!\n");
  expect(scenarios[0]?.id).toBe("conversation");
  expect(turns).toEqual([[["Hi", "Hello!"]]]);
  expect(notes).toEqual([
    "changed 1 no column says which rows belong to one conversation, so all rows were read as one; name the column with the mapping scenario_id=…",
  ]);
});

test.each([
  ["each message has a reply column", "message,role,reply\nHi,user,Hello\nBye,assistant,Ciao\n", ""],
  ["only users speak", "message,role\nHi,user\nBye,customer\n", ""],
  ["only user and system speak", "message,role\nHi,user\nBe brief,system\n", ""],
  ["others than these two speak", "message,role\nHi,user\nBye,assistant\nYo,pilot\n", ""],
  ["who speaks is named as a label", "message,role\nHi,user\nBye,assistant\n", "labels=role"],
])("keeps each row a scenario if %s", (_case, text, mapping) => {
  const { scenarios } = read(text, mapping);
  expect(scenarios.length).toBe(text.trim().split("\n").length - 1);
  const [first] = scenarios;
  expect(mapping === "" ? first?.metadata : first?.interactions[0]?.reference_metadata).toEqual({ role: "user" });
});
