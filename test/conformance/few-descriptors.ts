import { closeSync, openSync } from "node:fs";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";

/**
 * A process of few file descriptors. It opens the database with none of them left, then with one, and so on until it is open, and
 * prints a line for each try: the name of the error, or `opened`.
 */
const [file = ""] = process.argv.slice(2);

function takeAll(): number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    return taken;
  }
}

const taken = takeAll();
const lines: string[] = [];
while (lines.at(-1) !== "opened") {
  const line = await openSqlite({ file }).then(
    (storage) => storage.close().then(() => "opened"),
    (error: Error) => error.name,
  );
  lines.push(line);
  const descriptor = taken.pop();
  if (descriptor !== undefined) closeSync(descriptor);
}
for (const descriptor of taken) closeSync(descriptor);
process.stdout.write(lines.join("\n"));
