import { useState } from "react";

interface TextFile {
  /** Reads the first of the files that were picked or dropped. */
  readonly read: (files: FileList | null) => void;
  /** Why the last one could not be read. */
  readonly problem: string | null;
}

/** Text from a file of the reader's. One in another encoding is refused: its umlauts would be asked and scored as "�". */
export function useTextFile(onText: (text: string, name: string) => void): TextFile {
  const [problem, setProblem] = useState<string | null>(null);

  async function readFirst(file: File): Promise<void> {
    setProblem(null);
    const bytes = await file.arrayBuffer().catch(() => null);
    if (bytes === null) return setProblem(`${file.name} cannot be read.`);
    const text = decode(bytes);
    if (text === null) return setProblem(`${file.name} is not UTF-8 text. Save it as such and choose it again.`);
    if (text.trim() === "") return setProblem(`${file.name} is empty.`);
    onText(text, file.name);
  }

  return {
    problem,
    read(files) {
      const file = files?.[0];
      if (file) void readFirst(file);
    },
  };
}

function decode(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
