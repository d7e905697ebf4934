import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { librarySuite } from "./library-suite.ts";

librarySuite("SQLite", () => openSqlite({ file: ":memory:" }));
