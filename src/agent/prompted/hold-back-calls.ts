/** The beginnings of all notations of a call. Text before them can be shown at once. */
const opening =
  /```|<(?:tool_call|function_call|action|function=|invoke|[|｜])|\[TOOL_CALLS\]|(?:(?:commentary|analysis) +)?to=functions\.|^\s*[{[]|(?:^|\n)[ \t]*Action:/gi;
/** The length of the longest beginning: a chunk may end in the middle of one. */
const heldBack = 24;

interface HeldBackText {
  /** Takes a chunk of text as it arrives. */
  readonly onText: (text: string) => void;
  /** Emits the text held back so far, once `text` is known to be all that is meant for the reader. */
  readonly finish: (text: string) => void;
}

/** Streams a model's text up to where a tool call may begin. */
export function holdBackCalls(emit: (text: string) => void): HeldBackText {
  // Only the end of the text is kept: searching all of a long text for every chunk would take minutes.
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
      // Once the beginning was dropped, the kept part is not the beginning of the text: no match may be anchored there.
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

/** Longer white space is not taken for the white space before a call. */
const longestPause = 1000;

/** White space before a call is not part of the text, and a surrogate pair stays whole. */
function endOfShown(text: string): number {
  const { length } = text.trimEnd();
  if (text.length - length > longestPause) return text.length;
  return /[\ud800-\udbff]$/.test(text.slice(0, length)) ? length - 1 : length;
}
