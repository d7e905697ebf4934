import type { CallToolResult } from "@modelcontextprotocol/client";
import { resultToText } from "./result-to-text.ts";
import type { Shape } from "./shape-answers.ts";

/** What a call gave. */
export interface CallResult {
  /** For the model. */
  readonly text: string;
  readonly isError: boolean;
}

/** A result in which there is nothing but its text, so that the library accepts it whatever the server has put into it. */
export const toTextResult: Shape = (result) => {
  const { resultType } = result;
  // Other kinds of results give nothing yet; they ask for something.
  if (resultType !== undefined && resultType !== "complete") return result;
  return {
    ...(resultType !== undefined && { resultType }),
    content: [{ type: "text", text: resultToText(result) }],
    isError: result["isError"] === true,
  };
};

export function fromTextResult({ content, isError }: CallToolResult): CallResult {
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    isError: isError === true,
  };
}
