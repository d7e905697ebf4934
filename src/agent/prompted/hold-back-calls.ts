/** What every way of writing a call begins with. Text before it can be shown at once. */
const opening =
  /```|<(?:tool_call|function_call|action|function=|invoke|[|｜])|\[TOOL_CALLS\]|(?:(?:commentary|analysis) +)?to=functions\.|^\s*[{[]|(?:^|\n)[ \t]*Action:/gi;
/** As long as the longest of them: a piece may end in the middle of one. */
const heldBack = 24;

interface HeldBackText {
  /** Takes a piece of text as it arrives. */
  readonly onText: (text: string) => void;
  /** Gives out what was held back, once it is known that `text` is all that was meant for the reader. */
  readonly finish: (text: string) => void;
}

/** Streams a model's text up to the place where a tool call may begin. */
export function holdBackCalls(emit: (text: string) => void): HeldBackText {
  // Only the end of the text is kept: searched as a whole for every piece, a long one would take minutes.
  let kept = "";
  let keptFrom = 0;
  let shown = 0;
  let mayBeCall = false;
  const forgetShown = () => {
    const start = Math.max(0, shown - keptFrom - heldBack);
    kept = kept.slice(start);
    keptFrom += start;
  };
  return {
    onText: (text) => {
      if (mayBeCall) return;
      kept += text;
      // What is kept does not begin the text once something was forgotten: then nothing can be found at its beginning.
      opening.lastIndex = keptFrom > 0 ? 1 : 0;
      const found = opening.exec(kept);
      mayBeCall = found !== null;
      const end = endOfShown(kept.slice(0, Math.max(0, found?.index ?? kept.length - heldBack)));
      if (keptFrom + end <= shown) return;
      emit(kept.slice(shown - keptFrom, end));
      shown = keptFrom + end;
      forgetShown();
    },
    finish: (text) => {
      if (text.length > shown) emit(text.slice(shown));
    },
  };
}

/** So much white space is no longer taken for that before a call. */
const longestPause = 1000;

/** White space before a call is not part of the text, and a character is shown whole. */
function endOfShown(text: string): number {
  const { length } = text.trimEnd();
  if (text.length - length > longestPause) return text.length;
  return /[\ud800-\udbff]$/.test(text.slice(0, length)) ? length - 1 : length;
}
