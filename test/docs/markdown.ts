import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a Markdown file of the repository. */
export function codeBlocks(path: string): CodeBlock[] {
  const text = readFileSync(join(root, path), "utf8");
  return [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, language = "", block = ""]) => ({
    language: language.trim(),
    text: block,
  }));
}

/** The mark of a block that no test can run; readers see it too. */
const mark = /# .*(not run by a test|every curl line on this page)/;

/** The shell blocks of a file: those that are run, and the lines of those that say that they are not. */
export function shellBlocks(path: string): { readonly run: readonly string[]; readonly notRun: readonly string[] } {
  const blocks = codeBlocks(path).filter(({ language }) => language === "sh");
  const notRun = blocks.filter(({ text }) => mark.test(text));
  return {
    run: blocks.filter((block) => !notRun.includes(block)).map(({ text }) => text),
    notRun: notRun.flatMap(({ text }) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))),
  };
}
