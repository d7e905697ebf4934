import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { describeFileProblem, isBusy, fromSqliteError } from "./sqlite-error.ts";

function failureOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("It did not fail");
}

test("reports a read-only database as unavailable, with the reason", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("x.db");
  const made = new DatabaseSync(file);
  made.exec("create table note (text)");
  made.close();
  const readOnly = new DatabaseSync(file, { readOnly: true });
  const failure = failureOf(() => readOnly.exec("insert into note values (1)"));
  readOnly.close();
  expect(describeFileProblem(failure)).toMatch(/read-only/);
  expect(fromSqliteError(failure)).toMatchObject({ code: "storage_unavailable", cause: failure });
  expect(isBusy(failure)).toBe(false);
});

test("recognizes a lock, also inside another error", async () => {
  await using folder = await temporaryFolder();
  const [one, two] = [new DatabaseSync(folder.file("x.db")), new DatabaseSync(folder.file("x.db"))];
  one.exec("begin immediate");
  const failure = failureOf(() => two.exec("begin immediate"));
  one.close();
  two.close();
  expect(isBusy(failure)).toBe(true);
  expect(isBusy(fromSqliteError(failure))).toBe(true);
  expect(fromSqliteError(failure)).toMatchObject({ code: "storage_unavailable" });
});

test("reports a closed connection as unavailable", () => {
  const connection = new DatabaseSync(":memory:");
  connection.close();
  expect(fromSqliteError(failureOf(() => connection.exec("select 1")))).toMatchObject({ code: "storage_unavailable" });
});

test("returns SQL errors unchanged", () => {
  const connection = new DatabaseSync(":memory:");
  const failure = failureOf(() => connection.exec("select nonsense"));
  connection.close();
  expect(fromSqliteError(failure)).toBe(failure);
  expect(describeFileProblem(failure)).toBeNull();
  expect(fromSqliteError("text")).toBe("text");
});

test.each([13, 4874])("reports a full disk, also for the shared-memory file (%i)", (errcode) => {
  const failure = Object.assign(new Error("disk I/O error"), { errcode });
  expect(describeFileProblem(failure)).toBe("cannot be written to: the disk is full");
  expect(fromSqliteError(failure)).toMatchObject({ code: "storage_full", cause: failure });
});
