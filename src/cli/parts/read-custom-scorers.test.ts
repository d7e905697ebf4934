import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { readCustomScorers } from "./read-custom-scorers.ts";

test.each([
  ["success", "is the name of another score"],
  ["token_f1", "is the name of another score"],
  ["tooLoud", "name scorers with lower-case letters"],
])("a scorer may not be called %s", async (name, problem) => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("scorers.mjs"), `export const ${name} = () => 0.25;\n`);
  await expect(readCustomScorers(folder.file("scorers.mjs"), { scrub: String })).rejects.toThrow(problem);
});
