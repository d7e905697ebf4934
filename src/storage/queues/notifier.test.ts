import { expect, test } from "vitest";
import { createNotifier } from "./notifier.ts";

test("delivers each distinct message once per batch of announcements", async () => {
  const notifier = createNotifier<string>();
  const received: string[] = [];
  notifier.listen((message) => received.push(message));
  for (const message of ["a", "b", "a", "a"]) notifier.announce(message);
  expect(received).toEqual([]);
  await Promise.resolve();
  expect(received).toEqual(["a", "b"]);
  notifier.announce("a");
  await Promise.resolve();
  expect(received).toEqual(["a", "b", "a"]);
});

test("delivers a message announced by a listener after the listener returns", async () => {
  const notifier = createNotifier();
  let received = 0;
  notifier.listen(() => {
    received += 1;
    if (received < 3) notifier.announce();
  });
  notifier.announce();
  await new Promise((resolve) => setImmediate(resolve));
  expect(received).toBe(3);
});
