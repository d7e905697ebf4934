import { expect, test } from "vitest";
import { splitUnopenedReasoning, ReasoningSplitter } from "./reasoning-splitter.ts";

function sort(pieces: readonly string[], mayBeReply = true) {
  const sorter = new ReasoningSplitter();
  const sorted = pieces.map((piece) => sorter.add(piece));
  const late = sorter.finish({ mayBeReply });
  return { said: sorted.map(({ said }) => said).join("") + late, thought: sorted.map((part) => part.thought).join("") };
}

test.each(["<think>Hm, 3 < 4.</think>\n\nIt is <b>4</b>.", "\n<think>Hm, 3 < 4.</think>It is <b>4</b>."])(
  "separates reasoning before the reply, wherever the chunks end: %j",
  (text) => {
    const expected = { said: "It is <b>4</b>.", thought: "Hm, 3 < 4." };
    expect(sort([text])).toEqual(expected);
    expect(sort([...text])).toEqual(expected);
    for (let cut = 1; cut < text.length; cut += 1) {
      expect(sort([text.slice(0, cut), text.slice(cut)])).toEqual(expected);
    }
  },
);

test.each(["", " \n", "<", "<thin", "<thinker>", "5 <think>x</think>", "Say <think>.", "  Hello"])(
  "keeps text that is not reasoning: %j",
  (text) => {
    expect(sort([text])).toEqual({ said: text, thought: "" });
    expect(sort([...text])).toEqual({ said: text, thought: "" });
  },
);

test("handles endless white space in linear time", () => {
  const blank = "\n".repeat(50);
  const pieces = Array.from({ length: 40_000 }, () => blank);
  expect(sort([...pieces, "<think>Hm.</think>", "Hi"])).toEqual({ said: "Hi", thought: "Hm." });
  expect(sort([...pieces, "Hi"]).said).toHaveLength(2_000_002);
});

test("takes unfinished reasoning for the reply, unless it was cut off", () => {
  expect(sort(["<think>It is", " 4.</thi"]).said).toBe("<think>It is 4.</thi");
  expect(sort(["<think>It is", " 4."], false)).toEqual({ said: "", thought: "It is 4." });
});

test("recognizes Gemini's marked reasoning", () => {
  const sorter = new ReasoningSplitter();
  expect(sorter.add("<thought>Plan", { marked: true })).toEqual({ said: "", thought: "Plan" });
  expect(sorter.add(" it.", { marked: true })).toEqual({ said: "", thought: " it." });
  expect(sorter.add("</thought>Done")).toEqual({ said: "Done", thought: "" });
  expect(sorter.add(".")).toEqual({ said: ".", thought: "" });
  expect(new ReasoningSplitter().add("<thought>A tag of the reply</thought>").thought).toBe("");
  expect(new ReasoningSplitter().add("No tag", { marked: true })).toEqual({ said: "", thought: "No tag" });
});

test("takes marked text without a tag for the reply when there is no other", () => {
  const sorter = new ReasoningSplitter();
  expect(sorter.add("It is noon.", { marked: true })).toEqual({ said: "", thought: "It is noon." });
  expect(sorter.finish({ mayBeReply: false })).toBe("");
  expect(sorter.finish({ mayBeReply: true })).toBe("It is noon.");
  sorter.add("Noon.");
  expect(sorter.finish({ mayBeReply: true })).toBe("");
});

test.each(["Two and two.\n</think>\n\nFour.", "\nTwo and two.</think>\nFour.", "Two and two.\n  </think> Four."])(
  "separates reasoning that began in the prompt: %j",
  (text) => {
    expect(splitUnopenedReasoning(text)).toEqual({ said: "Four.", thought: "Two and two." });
  },
);

test.each([
  "Four.",
  "Models end their thoughts with </think>, which is no part of the reply.",
  "It looks like this:\n\n<think>\nTwo and two.\n</think>\n\nFour.",
  "Two and two.\n</think>\n",
  "",
])("keeps a tag that is only mentioned, or all of the text: %j", (text) => {
  expect(splitUnopenedReasoning(text)).toEqual({ said: text, thought: "" });
});
