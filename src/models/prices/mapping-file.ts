import { readFile } from "node:fs/promises";
import { parseDocument, type DocumentOptions, type ParseOptions, type SchemaOptions } from "yaml";

/** Reads a file of the operator. Rejects with one line that names it. */
export async function readOperatorFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new Error(`${path}: cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown reason"})`, {
      cause: error,
    });
  }
}

/** The first line of a parser's message. The others quote the file, which may hold a key. */
export function problemLine({ message }: Error): string {
  return (message.split("\n")[0] ?? "").replace(/:$/, "");
}

interface MappingFile {
  readonly path: string;
  /** The expected content, for the error message. */
  readonly of: string;
  readonly yaml?: ParseOptions & DocumentOptions & SchemaOptions;
}

/** The entries of a file that is one mapping; an empty file has none. The YAML parser reads JSON too. */
export function parseMappingFile(text: string, { path, of, yaml = {} }: MappingFile): ReadonlyMap<unknown, unknown> {
  const document = parseDocument(text, yaml);
  const problem = document.errors[0];
  if (problem) throw new Error(`${path}: not valid YAML or JSON: ${problemLine(problem)}`);
  const content: unknown = document.toJS({ mapAsMap: true });
  if (content === null || content === undefined || content === "") return new Map();
  if (!(content instanceof Map)) throw new Error(`${path}: must map ${of}`);
  return content;
}
