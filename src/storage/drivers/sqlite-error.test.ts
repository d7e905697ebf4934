import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { describeFileProblem, isBusy, toStorageError } from "./sqlite-error.ts";

function failureOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("It did not fail");
}

test("a read-only database is unavailable for writing, and says why", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("x.db");
  const made = new DatabaseSync(file);
  made.exec("create table note (text)");
  made.close();
  const readOnly = new DatabaseSync(file, { readOnly: true });
  const failure = failureOf(() => readOnly.exec("insert into note values (1)"));
  readOnly.close();
  expect(describeFileProblem(failure)).toMatch(/read-only/);
  expect(toStorageError(failure)).toMatchObject({ code: "storage_unavailable", cause: failure });
  expect(isBusy(failure)).toBe(false);
});

test("a lock is told apart, also when it is wrapped", async () => {
  await using folder = await temporaryFolder();
  const [one, two] = [new DatabaseSync(folder.file("x.db")), new DatabaseSync(folder.file("x.db"))];
  one.exec("begin immediate");
  const failure = failureOf(() => two.exec("begin immediate"));
  one.close();
  two.close();
  expect(isBusy(failure)).toBe(true);
  expect(isBusy(toStorageError(failure))).toBe(true);
  expect(toStorageError(failure)).toMatchObject({ code: "storage_unavailable" });
});

test("a closed connection is unavailable", () => {
  const connection = new DatabaseSync(":memory:");
  connection.close();
  expect(toStorageError(failureOf(() => connection.exec("select 1")))).toMatchObject({ code: "storage_unavailable" });
});

test("a mistake of ours stays what it is", () => {
  const connection = new DatabaseSync(":memory:");
  const failure = failureOf(() => connection.exec("select nonsense"));
  connection.close();
  expect(toStorageError(failure)).toBe(failure);
  expect(describeFileProblem(failure)).toBeNull();
  expect(toStorageError("text")).toBe("text");
});

test.each([13, 4874])("a full disk is told as that, also where it is met beside the file (%i)", (errcode) => {
  const failure = Object.assign(new Error("disk I/O error"), { errcode });
  expect(describeFileProblem(failure)).toBe("cannot be written to: the disk is full");
  expect(toStorageError(failure)).toMatchObject({ code: "storage_full", cause: failure });
});
