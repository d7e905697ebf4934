import { z } from "zod";
import { isRecord } from "../../../base/json.ts";

/** A passage that an agent retrieved for its answer. */
export const ContextPassage = z
  .object({
    text: z.string(),
    id: z.string().max(1_000).optional(),
    source: z.string().max(2_000).optional().describe("The document that it is from: a name or an address."),
    score: z.number().optional().describe("Its rank in the search, in the scale of the retriever."),
  })
  .meta({ id: "ContextPassage" });
export type ContextPassage = z.infer<typeof ContextPassage>;

export const maxPassages = 1_000;
/** Longer passages are cut when an agent reports them. */
const maxCharacters = 100_000;

/** Passages as a scenario gives them: a text alone is a passage without a source. */
export const GivenContext = z.array(z.union([z.string(), ContextPassage])).max(maxPassages);
type GivenContext = z.infer<typeof GivenContext>;

/** The passages of a scenario's turn. */
export const toPassages = (given: GivenContext = []): readonly ContextPassage[] =>
  given.map((passage) => (typeof passage === "string" ? { text: passage } : passage));

const textNames = ["text", "content", "page_content", "pageContent", "passage", "chunk", "document"];
const sourceNames = ["source", "url", "uri", "title", "file", "document_name"];

/**
 * Reads passages as agents, files and spans report them: a text, a list of texts, or objects with a text under one of the usual
 * names (`text`, `content`, LangChain's `page_content`). Undefined when there is none.
 */
export function readPassages(value: unknown): ContextPassage[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const passages = list.slice(0, maxPassages).flatMap((item) => readPassage(item) ?? []);
  return passages.length > 0 ? passages : undefined;
}

function readPassage(item: unknown): ContextPassage | undefined {
  if (typeof item === "string") return item.trim() === "" ? undefined : { text: cut(item) };
  if (!isRecord(item)) return undefined;
  // LangChain pairs a document with its score.
  const nested = isRecord(item["document"]) ? { ...item, ...item["document"] } : item;
  const text = textNames.map((name) => nested[name]).find((found) => typeof found === "string" && found.trim() !== "");
  if (typeof text !== "string") return undefined;
  const about = isRecord(nested["metadata"]) ? nested["metadata"] : {};
  const source = shortText(sourceNames.map((name) => nested[name] ?? about[name]).find(isShort), 2_000);
  const id = shortText([nested["id"], nested["chunk_id"], about["id"]].find(isShort), 1_000);
  const score = [nested["score"], nested["relevance_score"], about["score"]].find(Number.isFinite);
  return {
    text: cut(text),
    ...(id !== undefined && { id }),
    ...(source !== undefined && { source }),
    ...(typeof score === "number" && { score }),
  };
}

const isShort = (value: unknown): boolean => (typeof value === "string" && value !== "") || typeof value === "number";
const shortText = (value: unknown, longest: number): string | undefined =>
  value === undefined ? undefined : String(value).slice(0, longest);
const cut = (text: string): string => text.slice(0, maxCharacters).toWellFormed();
