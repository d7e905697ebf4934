/** What every way of writing a call begins with. Text before it can be shown at once. */
const opening = /```|<(?:tool_call|function_call|action)|^\s*\{|(?:^|\n)[ \t]*Action:/gi;
/** As long as the longest of them: a piece may end in the middle of one. */
const heldBack = 16;

export interface HeldBackText {
  /** Takes a piece of text as it arrives. */
  readonly onText: (text: string) => void;
  /** Gives out what was held back, once it is known that `text` is all that was meant for the reader. */
  readonly finish: (text: string) => void;
}

/** Streams a model's text up to the place where a tool call may begin. */
export function holdBackCalls(emit: (text: string) => void): HeldBackText {
  let received = "";
  let shown = 0;
  let mayBeCall = false;
  const show = (text: string, end: number) => {
    if (end > shown) emit(text.slice(shown, end));
    shown = Math.max(shown, end);
  };
  return {
    onText: (text) => {
      received += text;
      if (mayBeCall) return;
      opening.lastIndex = Math.max(0, shown - heldBack);
      const found = opening.exec(received);
      mayBeCall = found !== null;
      const start = found?.index ?? received.length - heldBack;
      // White space before a call is not part of the text.
      show(received, received.slice(0, Math.max(0, start)).trimEnd().length);
    },
    finish: (text) => show(text, text.length),
  };
}
