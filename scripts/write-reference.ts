// Writes the generated pages of docs/reference/. A test fails while a page is not what this would write.
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { environmentPage } from "./reference/environment-page.ts";
import { errorsPage } from "./reference/errors-page.ts";

const folder = resolve(import.meta.dirname, "../docs/reference");
mkdirSync(folder, { recursive: true });
writeFileSync(resolve(folder, "errors.md"), errorsPage());
writeFileSync(resolve(folder, "environment.md"), environmentPage());
