import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { isDeadWorker, rememberWorker } from "./worker-processes.ts";

const here = { host: "here", pid: process.pid };

test("a worker whose process has ended is dead", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  expect(isDeadWorker(`here:${pid}:abc`, here)).toBe(true);
});

test("a worker whose process runs is alive", () => {
  expect(isDeadWorker(`here:${process.ppid}:abc`, here)).toBe(false);
});

test("a worker of another host is never known to be dead", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  expect(isDeadWorker(`there:${pid}:abc`, here)).toBe(false);
});

test("our own process id with an unknown worker is a process before us that had the same id", () => {
  rememberWorker(`here:${process.pid}:ours`);
  expect(isDeadWorker(`here:${process.pid}:ours`, here)).toBe(false);
  expect(isDeadWorker(`here:${process.pid}:before`, here)).toBe(true);
});

test("host names may hold colons", () => {
  rememberWorker("fe80::1:7:ours");
  expect(isDeadWorker("fe80::1:7:ours", { host: "fe80::1", pid: 7 })).toBe(false);
  expect(isDeadWorker("fe80::1:7:other", { host: "fe80::1", pid: 7 })).toBe(true);
});

test.each(["", "here", "here:abc:x", "here:0:x", "here:-1:x", "here:99999999999999:x", "worker-1"])(
  "%j, which names no process, is left alone",
  (worker) => expect(isDeadWorker(worker, here)).toBe(false),
);
