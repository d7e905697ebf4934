import { expect, test } from "vitest";
import { ThoughtText } from "./thought-text.ts";

function sort(pieces: readonly string[], mayBeReply = true) {
  const sorter = new ThoughtText();
  const sorted = pieces.map((piece) => sorter.add(piece));
  const late = sorter.finish({ mayBeReply });
  return { said: sorted.map(({ said }) => said).join("") + late, thought: sorted.map((part) => part.thought).join("") };
}

test.each(["<think>Hm, 3 < 4.</think>\n\nIt is <b>4</b>.", "\n<think>Hm, 3 < 4.</think>It is <b>4</b>."])(
  "what is thought before the reply is set apart, wherever the pieces end: %j",
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
  "what is no thought before a reply stays as it is: %j",
  (text) => {
    expect(sort([text])).toEqual({ said: text, thought: "" });
    expect(sort([...text])).toEqual({ said: text, thought: "" });
  },
);

test("white space that comes piece by piece is sorted in good time", () => {
  const blank = "\n".repeat(50);
  const pieces = Array.from({ length: 40_000 }, () => blank);
  expect(sort([...pieces, "<think>Hm.</think>", "Hi"])).toEqual({ said: "Hi", thought: "Hm." });
  expect(sort([...pieces, "Hi"]).said).toHaveLength(2_000_002);
});

test("a thought without an end is the reply, unless something cut it off", () => {
  expect(sort(["<think>It is", " 4.</thi"]).said).toBe("<think>It is 4.</thi");
  expect(sort(["<think>It is", " 4."], false)).toEqual({ said: "", thought: "It is 4." });
});

test("Gemini's thoughts are told by their mark", () => {
  const sorter = new ThoughtText();
  expect(sorter.add("<thought>Plan", { marked: true })).toEqual({ said: "", thought: "Plan" });
  expect(sorter.add(" it.", { marked: true })).toEqual({ said: "", thought: " it." });
  expect(sorter.add("</thought>Done")).toEqual({ said: "Done", thought: "" });
  expect(sorter.add(".")).toEqual({ said: ".", thought: "" });
  expect(new ThoughtText().add("<thought>A tag of the reply</thought>").thought).toBe("");
  expect(new ThoughtText().add("No tag", { marked: true })).toEqual({ said: "", thought: "No tag" });
});

test("what is marked as thought and has no tag is the reply where nothing else is said", () => {
  const sorter = new ThoughtText();
  expect(sorter.add("It is noon.", { marked: true })).toEqual({ said: "", thought: "It is noon." });
  expect(sorter.finish({ mayBeReply: false })).toBe("");
  expect(sorter.finish({ mayBeReply: true })).toBe("It is noon.");
  sorter.add("Noon.");
  expect(sorter.finish({ mayBeReply: true })).toBe("");
});
