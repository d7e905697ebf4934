import { expect, test } from "vitest";
import { smallPdf } from "../../agent/testing/small-pdf.ts";
import { createPdfReader } from "./pdf-reader.ts";

const most = 2_000_000;
const textsOf = async (bytes: Uint8Array, mostCharacters = most) => {
  const { passages, missing } = await createPdfReader()(bytes, mostCharacters);
  return { texts: passages.map(({ page, text }) => [page, text]), missing };
};

test("reads a PDF in a thread, page by page", async () => {
  const pdf = smallPdf(["Fill the kettle.", "", "It lasts two years."]);
  expect(await textsOf(pdf)).toEqual({
    texts: [
      [1, "Fill the kettle."],
      [3, "It lasts two years."],
    ],
    missing: null,
  });
  expect(await textsOf(pdf, 18)).toEqual({
    texts: [
      [1, "Fill the kettle."],
      [3, "It"],
    ],
    missing: "only its first 18 characters are searched",
  });
});

test("reads the next PDF after a file that is not one", async () => {
  const read = createPdfReader();
  await expect(read(Buffer.from("zebra"), most)).rejects.toThrow("It is not a PDF.");
  expect((await read(smallPdf(["zebra"]), most)).passages).toHaveLength(1);
});

test("explains that a PDF is protected by a password", async () => {
  const locked = `/Encrypt << /Filter /Standard /V 1 /R 2 /O (${"o".repeat(32)}) /U (${"u".repeat(32)}) /P -4 >> /ID [(a) (a)]`;
  const pdf = Buffer.from(smallPdf(["zebra"]))
    .toString()
    .replace("/Root 1 0 R", `/Root 1 0 R ${locked}`);
  await expect(textsOf(Buffer.from(pdf))).rejects.toThrow("it is protected by a password");
});

const endless = smallPdf(["a) Tj (".repeat(5_000_000)]);

test.each([
  ["time", { longestMs: 200, mostMegabytes: 4096 }, "it takes too long to read"],
  ["memory", { mostMegabytes: 40 }, "it takes too much memory to read"],
])("gives up a PDF that takes too much %s, and reads the next one", async (_, limits, problem) => {
  const read = createPdfReader(limits);
  await expect(read(endless, most)).rejects.toThrow(problem);
  const patient = createPdfReader();
  expect((await patient(smallPdf(["zebra"]), most)).passages).toHaveLength(1);
});
