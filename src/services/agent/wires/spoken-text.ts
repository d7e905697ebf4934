/** The text of a turn for a wire whose one message holds that of every step. */
interface SpokenText {
  /** What to send when a piece of text comes. */
  add(piece: { readonly call: number; readonly text: string }): string;
  /** What is left to be sent of the reply. */
  finish(reply: string): string;
}

/**
 * Text of every step is sent as it comes, and steps are set apart by an empty line. A reply that is to be JSON is parsed as a
 * whole: what a model says before it uses a tool, or before the reply itself, would spoil it and is held back.
 */
export function createSpokenText({ json }: { json: boolean }): SpokenText {
  let speaking = 0;
  let step: { readonly call: number; isJson: boolean | null } = { call: 0, isJson: null };

  /** Known from the first character that is no white space. */
  function isJson(call: number, text: string): boolean {
    if (call !== step.call) step = { call, isJson: null };
    if (step.isJson === null && text.trim() !== "") step.isJson = /^\s*[{[]/.test(text);
    return step.isJson === true;
  }

  return {
    add({ call, text }) {
      if (json && !isJson(call, text)) return "";
      const pause = speaking > 0 && speaking !== call ? "\n\n" : "";
      speaking = call;
      return `${pause}${text}`;
    },
    finish(reply) {
      if (!json || step.isJson === true || reply === "") return "";
      return speaking > 0 ? `\n\n${reply}` : reply;
    },
  };
}
