import { existsSync, globSync, readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { decodeUtf8 } from "../../formats/decode-utf8.ts";
import { FormatError } from "../../formats/format-error.ts";
import type { NamedFiles } from "../../formats/scenario-file.ts";
import { cannotRead } from "../read-text.ts";

/** Texts and data. Whatever else a configuration names is code to run, or no text. */
const readable =
  /\.(txt|md|j2|jsonl?|ya?ml|csv|tsv|sql|html?|xml|log|njk|jinja2?|prompt|rst|tex|toml|ini|diff|patch|graphql|srt|vtt)$/i;

/** The files that a file in this folder names, as promptfoo finds them: `file://` and patterns. Each that is read is told of. */
export function namedFilesIn(folder: string, onRead: (path: string) => void = () => {}): NamedFiles {
  return (name) => {
    const path = name.trim().replace(/^file:\/\//, "");
    if (!(readable.test(path) || path.endsWith("*")) || /^\w{2,}:/.test(path)) return [];
    return matching(path, folder)
      .filter((file) => readable.test(file))
      .map((file) => {
        onRead(resolve(file));
        return read(file, relative(folder, file));
      });
  };
}

/** Only what was written may be a pattern: the folder's own name, or a file's, may have brackets in it. */
function matching(path: string, folder: string): string[] {
  const whole = resolve(folder, path);
  if (existsSync(whole)) return [whole];
  return globSync(path, { cwd: folder })
    .map((file) => resolve(folder, file))
    .toSorted();
}

function read(path: string, name: string): { name: string; text: string } {
  try {
    return { name, text: decodeUtf8(readFileSync(path)) };
  } catch (error) {
    if (error instanceof FormatError) throw new FormatError(`${name}: ${error.message}`);
    throw cannotRead(name, error);
  }
}
