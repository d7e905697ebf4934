import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors/errors.ts";
import { createStoreOutageMonitor } from "./store-outage.ts";

const full = new ServiceError("storage_full", "full");

function watched() {
  let time = 0;
  const reported: unknown[] = [];
  const monitor = createStoreOutageMonitor(() => time);
  monitor.onLasting((error) => reported.push(error));
  return {
    failed(seconds: number, error: unknown = full): readonly unknown[] {
      time = seconds * 1_000;
      monitor.failed(error);
      return reported.splice(0);
    },
    over: monitor.over,
  };
}

test("reports a lasting outage, but not occasional failures", () => {
  const { failed } = watched();
  for (const seconds of [0, 4, 8, 12]) expect(failed(seconds)).toEqual([]);
  expect(failed(14, new Error("a bug"))).toEqual([]);
  expect(failed(15)).toEqual([full]);
  expect(failed(50)).toEqual([]);
  expect(failed(90)).toEqual([]);
});

test("joins failures of writes that each wait long into one outage", () => {
  const { failed } = watched();
  expect(failed(0)).toEqual([]);
  expect(failed(16)).toEqual([full]);
});

test("ends an outage with a successful write", () => {
  const { failed, over } = watched();
  expect(failed(0)).toEqual([]);
  over();
  expect(failed(16)).toEqual([]);
  expect(failed(32)).toEqual([full]);
});
