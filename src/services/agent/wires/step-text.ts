/** Joins the text of all steps of a turn, for wires that have one message per turn. */
interface StepText {
  /** Returns the text to send for a delta. */
  add(piece: { readonly call: number; readonly text: string }): string;
  /** Returns the rest of the reply, to be sent at the end. */
  finish(reply: string): string;
}

/**
 * Text is sent as it arrives, with an empty line between steps. A client parses a JSON reply as a whole, so with `json` any text
 * before it, such as an announcement of a tool call, is held back.
 */
export function createStepText({ json }: { json: boolean }): StepText {
  let lastCall = 0;
  let step: { readonly call: number; isJson: boolean | null } = { call: 0, isJson: null };

  /** Decided by the first character that is not white space. */
  function isJson(call: number, text: string): boolean {
    if (call !== step.call) step = { call, isJson: null };
    if (step.isJson === null && text.trim() !== "") step.isJson = /^\s*[{[]/.test(text);
    return step.isJson === true;
  }

  return {
    add({ call, text }) {
      if (json && !isJson(call, text)) return "";
      const gap = lastCall > 0 && lastCall !== call ? "\n\n" : "";
      lastCall = call;
      return `${gap}${text}`;
    },
    finish(reply) {
      if (!json || step.isJson === true || reply === "") return "";
      return lastCall > 0 ? `\n\n${reply}` : reply;
    },
  };
}
