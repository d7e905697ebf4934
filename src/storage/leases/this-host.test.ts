import { expect, test } from "vitest";
import { thisHost, type HostReaders } from "./this-host.ts";
import { isDeadWorker } from "./worker-processes.ts";

const container = (namespace: number, boot = "b1"): HostReaders => ({
  hostname: () => "node",
  readFile: () => `${boot}\n`,
  readLink: () => `pid:[${namespace}]`,
});

test("a process id counts only where it was given out: same host name, start and namespace", () => {
  const worker = `${thisHost(container(1))}:1:abc`;
  expect(isDeadWorker(worker, { host: thisHost(container(1)), pid: 1 })).toBe(true);
  expect(isDeadWorker(worker, { host: thisHost(container(2)), pid: 1 })).toBe(false);
  expect(isDeadWorker(worker, { host: thisHost(container(1, "b2")), pid: 1 })).toBe(false);
});

test("where the system tells nothing, the host name has to do", () => {
  const none = (): never => {
    throw new Error("no such file");
  };
  expect(thisHost({ hostname: () => "node", readFile: none, readLink: none })).toBe("node");
  expect(thisHost()).toBe(thisHost());
});
