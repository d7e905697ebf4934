import { FileUp } from "lucide-react";
import { useRef } from "react";

interface FilePickerProps {
  /** What is picked, for those who do not see the button. */
  readonly label: string;
  readonly accept?: string;
  readonly onPicked: (files: FileList | null) => void;
}

/** A button that opens the browser's own choice of files. The same file may be picked twice. */
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
