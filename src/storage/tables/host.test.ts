import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { isDeadWorker, registerWorker, thisHost, type HostReaders } from "./host.ts";

const here = { host: "here", pid: process.pid };

test("considers a worker dead when its process has ended", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  expect(isDeadWorker(`here:${pid}:abc`, here)).toBe(true);
});

test("considers a worker alive while its process runs", () => {
  expect(isDeadWorker(`here:${process.ppid}:abc`, here)).toBe(false);
});

test("never considers a worker of another host dead", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  expect(isDeadWorker(`there:${pid}:abc`, here)).toBe(false);
});

test("considers an unknown worker with our process id dead", () => {
  registerWorker(`here:${process.pid}:ours`);
  expect(isDeadWorker(`here:${process.pid}:ours`, here)).toBe(false);
  expect(isDeadWorker(`here:${process.pid}:before`, here)).toBe(true);
});

test("accepts colons in host names", () => {
  registerWorker("fe80::1:7:ours");
  expect(isDeadWorker("fe80::1:7:ours", { host: "fe80::1", pid: 7 })).toBe(false);
  expect(isDeadWorker("fe80::1:7:other", { host: "fe80::1", pid: 7 })).toBe(true);
});

test.each(["", "here", "here:abc:x", "here:0:x", "here:-1:x", "here:99999999999999:x", "worker-1"])(
  "ignores %j, which names no process",
  (worker) => expect(isDeadWorker(worker, here)).toBe(false),
);

const container = (namespace: number, boot = "b1"): HostReaders => ({
  hostname: () => "node",
  readFile: () => `${boot}\n`,
  readLink: () => `pid:[${namespace}]`,
});

test("compares process ids only within one host name, boot and namespace", () => {
  const worker = `${thisHost(container(1))}:1:abc`;
  expect(isDeadWorker(worker, { host: thisHost(container(1)), pid: 1 })).toBe(true);
  expect(isDeadWorker(worker, { host: thisHost(container(2)), pid: 1 })).toBe(false);
  expect(isDeadWorker(worker, { host: thisHost(container(1, "b2")), pid: 1 })).toBe(false);
});

test("falls back to the host name alone", () => {
  const none = (): never => {
    throw new Error("no such file");
  };
  expect(thisHost({ hostname: () => "node", readFile: none, readLink: none })).toBe("node");
  expect(thisHost()).toBe(thisHost());
});
