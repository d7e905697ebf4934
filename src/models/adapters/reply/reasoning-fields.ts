import { compact } from "../../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import type { SuccessfulReply } from "../../../contract/ports/chat-model.ts";
import { nonEmptyString, plainRecord } from "./json-values.ts";
import { thinkingText } from "./message-content.ts";

/**
 * Collects the reasoning of a message or its chunks, and the part of it that the provider wants back. DeepSeek and Kimi refuse
 * to continue after a tool call without their `reasoning_content`, models behind OpenRouter without their `reasoning_details`.
 * vLLM, Groq, Cerebras and Ollama use `reasoning`; without it their models repeat their reasoning after every call, and so does
 * MiniMax without its text between `<think>` and `</think>`.
 */
export class ReasoningFields {
  #text = "";
  #content: string | null = null;
  #reasoning = "";
  #tagged = "";
  readonly #details: Map<string, unknown>[] = [];

  /** Adds a message or a chunk of one. Returns the reasoning in it. */
  add(message: JsonRecord): string {
    const { reasoning_content, reasoning, reasoning_details, content } = message;
    // An empty string counts: the field has to be present.
    if (typeof reasoning_content === "string") this.#content = (this.#content ?? "") + reasoning_content;
    this.#reasoning += nonEmptyString(reasoning) ?? "";
    const details = Array.isArray(reasoning_details) ? reasoning_details.filter(isRecord) : [];
    for (const part of details) this.#addDetail(part);
    // Several fields may hold the same words.
    const stated = [reasoning_content, reasoning].map(nonEmptyString).find((text) => text !== null);
    return this.addText(stated ?? (details.map(detailText).join("") || thinkingText(content)));
  }

  /** Adds reasoning found in the text itself. `marked`: the server marked it, instead of a tag. */
  addText(text: string, { marked = true }: { marked?: boolean } = {}): string {
    this.#text += text;
    if (!marked) this.#tagged += text;
    return text;
  }

  /** The field of the reply. */
  toReplyField(): Pick<SuccessfulReply, "reasoning"> {
    return this.#text === "" ? {} : { reasoning: this.#text };
  }

  /** The metadata to send back with the tool calls. `reasoning` and `think` only without the other fields, which repeat them. */
  opaqueMetadata(): JsonRecord | null {
    if (this.#content === null && this.#details.length === 0) {
      if (this.#reasoning !== "") return { reasoning: this.#reasoning };
      return this.#tagged === "" ? null : { think: this.#tagged };
    }
    return plainRecord(
      compact({
        reasoning_content: this.#content ?? undefined,
        reasoning_details:
          this.#details.length > 0 ? this.#details.map((fields) => Object.fromEntries(fields)) : undefined,
      }),
    );
  }

  /** A stream sends one block in many chunks with the same index. Encrypted blocks arrive whole. */
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

/** Changes the block in place: a copy for every chunk would take quadratic time. */
function goOnWith(block: Map<string, unknown>, part: JsonRecord): void {
  for (const [name, value] of Object.entries(part)) {
    const known = block.get(name);
    const isLonger = texts.has(name) && typeof known === "string" && typeof value === "string";
    if (value !== null) block.set(name, isLonger ? known + value : value);
  }
}
