import { writeFile } from "node:fs/promises";
import { temporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";

/** Scenarios of one turn, as they stand in a file. */
export const hello = JSON.stringify({
  id: "hello",
  interactions: [{ id: "1", user_message: "Say yes", reference_reply: "Yes" }],
});
/** The same with a check, so that it has a verdict. */
export const checkedHello = JSON.stringify({
  id: "hello",
  interactions: [
    { id: "1", user_message: "Say yes", reference_reply: "Yes", checks: [{ type: "contains", text: "Yes" }] },
  ],
});
export const goodbye = JSON.stringify({
  id: "goodbye",
  interactions: [{ id: "1", user_message: "Say no", reference_reply: "No" }],
});

/** A folder that holds these files. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) await writeFile(folder.file(name), content);
  return folder;
}
