import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { limitsSuite } from "./limits-suite.ts";

limitsSuite("SQLite", async () => {
  const folder = await temporaryFolder();
  return {
    open: () => openSqlite({ file: folder.file("rehearsal.db") }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
});
