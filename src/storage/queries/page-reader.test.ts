import { expect, test } from "vitest";
import type { Reader } from "../database.ts";
import { createPageReader } from "./page-reader.ts";

test("pages are read here until one has taken long, and in the other thread from then on", async () => {
  const [here, there] = [{}, {}] as [Reader, Reader];
  let time = 0;
  const sources: string[] = [];
  const readPage = createPageReader({ reader: here, longReader: there }, () => time);
  const pageOf = (ms: number) =>
    readPage(async (from) => {
      sources.push(from === here ? "here" : "there");
      time += ms;
      return ms;
    });

  const pages = [await pageOf(1), await pageOf(10), await pageOf(11), await pageOf(1), await pageOf(50)];
  expect(pages).toEqual([1, 10, 11, 1, 50]);
  expect(sources).toEqual(["here", "here", "here", "there", "there"]);
});
