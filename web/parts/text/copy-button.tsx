import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";

type CopyOutcome = "idle" | "copied" | "failed";

interface CopyButtonProps {
  /** A function when the text is expensive to build. */
  readonly text: string | (() => string);
  readonly label?: string;
}

export function CopyButton({ text, label = "Copy" }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<CopyOutcome>("idle");

  useEffect(() => {
    if (outcome === "idle") return;
    const timer = setTimeout(() => setOutcome("idle"), 1600);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = (): void => {
    void copyText(typeof text === "string" ? text : text()).then((copied) => setOutcome(copied ? "copied" : "failed"));
  };

  const caption = { idle: label, copied: "Copied", failed: "Blocked by the browser" }[outcome];
  return (
    <button type="button" className="button button-quiet" onClick={copy} aria-live="polite">
      {outcome === "copied" ? <Check aria-hidden size={14} /> : <Copy aria-hidden size={14} />}
      {caption}
    </button>
  );
}

/** Falls back to a selection where the clipboard API is missing: it needs a secure context, which plain http is not. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}
