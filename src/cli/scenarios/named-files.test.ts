import { mkdir, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { namedFilesIn } from "./named-files.ts";

test("files are found by name and pattern from the folder, and code or other places are not", async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.file("tests"));
  await writeFile(folder.file("tests/b.yaml"), "\uFEFFb");
  await writeFile(folder.file("tests/a.csv"), "a");
  await writeFile(folder.file("tests/run.py"), "p");
  await writeFile(folder.file("schema.sql"), "s");
  const files = namedFilesIn(folder.path);
  expect(files("file://schema.sql")).toEqual([{ name: "schema.sql", text: "s" }]);
  const both = [
    { name: "tests/a.csv", text: "a" },
    { name: "tests/b.yaml", text: "b" },
  ];
  expect(files("file://tests/*")).toEqual(both);
  expect(files("tests/*.yaml")).toEqual([both[1]]);
  expect(files(`file://${folder.file("tests/a.csv")}`)).toEqual([both[0]]);
  for (const name of ["file://tests/run.py:make", "file://tests/run.py", "file://gone.csv", "https://a.example/a.csv"])
    expect(files(name)).toEqual([]);
});

test("a file that is no text is named", async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("a.txt"), Buffer.from([0x61, 0xff, 0x62]));
  expect(() => namedFilesIn(folder.path)("a.txt")).toThrow(/^a\.txt: line 1: this is no UTF-8/);
});

test("a folder or a file with brackets in its name is no pattern", async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.file("copy [1] {x}"));
  await writeFile(folder.file("copy [1] {x}/a.csv"), "a");
  await writeFile(folder.file("copy [1] {x}/b (2) [y].csv"), "b");
  const files = namedFilesIn(folder.file("copy [1] {x}"));
  expect(files("file://a.csv")).toEqual([{ name: "a.csv", text: "a" }]);
  expect(files("file://b (2) [y].csv")).toEqual([{ name: "b (2) [y].csv", text: "b" }]);
  expect(files("*.csv").map(({ name }) => name)).toEqual(["a.csv", "b (2) [y].csv"]);
});
