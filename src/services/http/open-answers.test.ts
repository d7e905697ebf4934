import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { createOpenAnswers } from "./open-answers.ts";

const answer = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

test("a key has so many answers under way and no more, whatever other keys have", () => {
  const open = createOpenAnswers(2);
  const [first, second] = [answer(), answer()];
  open(first, "a");
  open(second, "a");
  expect(() => open(answer(), "a")).toThrow("2 requests of this key are being answered already");
  expect(() => open(answer(), "b")).not.toThrow();
  first.emit("close");
  expect(() => open(answer(), "a")).not.toThrow();
  expect(() => open(answer(), "a")).toThrow("2 requests");
});

test("without a limit there is none", () => {
  const open = createOpenAnswers(0);
  for (let index = 0; index < 5000; index += 1) expect(() => open(answer(), "a")).not.toThrow();
});
