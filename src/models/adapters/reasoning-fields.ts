import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { SuccessfulReply } from "../../contract/ports/chat-model.ts";
import { nonEmptyString, plainRecord } from "./json-values.ts";
import { thinkingText } from "./message-content.ts";

/**
 * What a model thought, as a message or the pieces of one tell it, and what it wants to see again of it: DeepSeek and Kimi refuse
 * to go on after a call without their `reasoning_content`, models behind OpenRouter without their `reasoning_details`. vLLM, Groq, Cerebras
 * and Ollama call the same `reasoning`: without it their models begin to think anew after every call, as MiniMax does
 * without what it wrote between `<think>` and `</think>`.
 */
export class ReasoningFields {
  #text = "";
  #content: string | null = null;
  #reasoning = "";
  #tagged = "";
  readonly #details: Map<string, unknown>[] = [];

  /** Takes a message or a piece of one. Gives what is thought in it. */
  add(message: JsonRecord): string {
    const { reasoning_content, reasoning, reasoning_details, content } = message;
    // An empty one counts: the field has to be there.
    if (typeof reasoning_content === "string") this.#content = (this.#content ?? "") + reasoning_content;
    this.#reasoning += nonEmptyString(reasoning) ?? "";
    const details = Array.isArray(reasoning_details) ? reasoning_details.filter(isRecord) : [];
    for (const part of details) this.#addDetail(part);
    // The same words may stand in several fields.
    const told = [reasoning_content, reasoning].map(nonEmptyString).find((text) => text !== null);
    return this.addText(told ?? (details.map(detailText).join("") || thinkingText(content)));
  }

  /** Takes what was thought in the text itself. `marked`: the server says so, and no tag does. */
  addText(text: string, { marked = true }: { marked?: boolean } = {}): string {
    this.#text += text;
    if (!marked) this.#tagged += text;
    return text;
  }

  /** What a reply has of it. */
  told(): Pick<SuccessfulReply, "reasoning"> {
    return this.#text === "" ? {} : { reasoning: this.#text };
  }

  /** What is sent back beside the calls it led to. The other fields only where they are all there is: else they say the same once more. */
  echo(): JsonRecord | null {
    if (this.#content === null && this.#details.length === 0) {
      if (this.#reasoning !== "") return { reasoning: this.#reasoning };
      return this.#tagged === "" ? null : { think: this.#tagged };
    }
    return plainRecord({
      ...(this.#content !== null && { reasoning_content: this.#content }),
      ...(this.#details.length > 0 && { reasoning_details: this.#details.map((fields) => Object.fromEntries(fields)) }),
    });
  }

  /** A stream tells one block in many pieces of the same index. Encrypted ones come whole. */
  #addDetail(part: JsonRecord): void {
    const last = this.#details.at(-1);
    const goesOn = last?.get("type") === part["type"] && last?.get("index") === part["index"] && !("data" in part);
    if (last && goesOn) goOnWith(last, part);
    else this.#details.push(new Map(Object.entries(part)));
  }
}

function detailText({ text, summary }: JsonRecord): string {
  return nonEmptyString(text) ?? nonEmptyString(summary) ?? "";
}

const texts = new Set(["text", "summary"]);

/** Added in place: a block copied for every piece would take quadratic time. */
function goOnWith(block: Map<string, unknown>, part: JsonRecord): void {
  for (const [name, value] of Object.entries(part)) {
    const known = block.get(name);
    const isLonger = texts.has(name) && typeof known === "string" && typeof value === "string";
    if (value !== null) block.set(name, isLonger ? known + value : value);
  }
}
