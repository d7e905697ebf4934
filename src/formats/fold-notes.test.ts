import { expect, test } from "vitest";
import { foldNotes, isLoss } from "./fold-notes.ts";
import type { Note } from "./scenario-file.ts";

const note = (message: string, more: Partial<Note> = {}): Note => ({ kind: "dropped", message, ...more });

test("counts notes that differ in place, numbers and quoted names only", () => {
  const notes = [
    note("the reply of epoch 2", { line: 4 }),
    note('the id "a" is used more than once', { kind: "changed" }),
    note("the reply of epoch 3", { line: 9 }),
    note('the id "b" is used more than once', { kind: "changed" }),
    note("the reply of epoch 2", { file: "other.json" }),
    note("only text is kept; dropped: audio"),
    note("only text is kept; dropped: image"),
  ];
  expect(foldNotes(notes).map(({ first, count }) => [count, first])).toEqual([
    [2, notes[0]],
    [2, notes[1]],
    [1, notes[4]],
    [1, notes[5]],
    [1, notes[6]],
  ]);
});

test("counts notes with one subject together, whatever they say", () => {
  const notes = [note("a of x", { subject: "tool messages" }), note("a of y", { subject: "tool messages" })];
  expect(foldNotes(notes)).toEqual([{ first: notes[0], count: 2 }]);
});

test("counts a note on something kept as no loss", () => {
  expect(["dropped", "changed", "kept"].map((kind) => isLoss({ kind: kind as Note["kind"] }))).toEqual([
    true,
    true,
    false,
  ]);
});
