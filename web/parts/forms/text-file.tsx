import { FileUp } from "lucide-react";
import { useRef, useState } from "react";

interface FilePickerProps {
  /** For screen readers. */
  readonly label: string;
  readonly accept?: string;
  readonly onPicked: (files: FileList | null) => void;
}

/** Opens the browser's file dialog. The same file can be picked twice in a row. */
export function FilePicker({ label, accept, onPicked }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className="button" onClick={() => input.current?.click()}>
        <FileUp aria-hidden size={14} /> From a file
      </button>
      <input
        ref={input}
        type="file"
        aria-label={label}
        className="sr-only"
        tabIndex={-1}
        accept={accept}
        onChange={(event) => {
          onPicked(event.target.files);
          event.target.value = "";
        }}
      />
    </>
  );
}

export function FileProblem({ problem }: { problem: string | null }) {
  if (problem === null) return null;
  return (
    <p role="alert" className="verbatim text-sm text-bad">
      ✕ {problem}
    </p>
  );
}

interface TextFile {
  /** Reads the first picked or dropped file. */
  readonly read: (files: FileList | null) => void;
  /** Why the last file could not be read. */
  readonly problem: string | null;
}

/** Reads a UTF-8 text file. Other encodings are refused: their umlauts would be sent and scored as "�". */
export function useTextFile(onText: (text: string, name: string) => void): TextFile {
  const [problem, setProblem] = useState<string | null>(null);

  async function readFirst(file: File): Promise<void> {
    setProblem(null);
    const bytes = await file.arrayBuffer().catch(() => null);
    if (bytes === null) return setProblem(`Cannot read ${file.name}.`);
    const text = decode(bytes);
    if (text === null) return setProblem(`${file.name} is not UTF-8 text. Save it as UTF-8 and choose it again.`);
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
