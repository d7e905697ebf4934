import type { FoundPassage, KnowledgeIndex } from "./knowledge-index.ts";
import { citePassage } from "./passages.ts";
import { defineTool, ToolError, type Tool } from "../tools/tool.ts";

/** Searches the operator's documents. The result names file, heading and line or page of every passage. */
export function searchKnowledge({ index }: { index: Pick<KnowledgeIndex, "search" | "report"> }): Tool {
  return defineTool({
    idempotent: true,
    ours: true,
    name: "search_knowledge",
    description:
      "Searches the documents of this service and gives the best passages with their sources. Use it before answering questions about the service, and name the source of what you quote.",
    parameters: {
      type: "object",
      properties: {
        query: {
          type: "string",
          minLength: 1,
          maxLength: 500,
          description: "What to look for, in words of the subject.",
        },
        limit: { type: "integer", minimum: 1, maximum: 10, description: "How many passages. Default 5." },
      },
      required: ["query"],
      additionalProperties: false,
    },
    run: async ({ query, limit = 5 }: { query: string; limit?: number }) => {
      const found = await search(index, query, limit);
      const { passages, isReading } = index.report();
      const notice = isReading ? stillReading : null;
      if (found.length > 0) return [...describePassages(found), ...(notice ? [notice] : [])].join("\n\n");
      if (notice) return `No passage matches so far. ${notice}`;
      if (passages === 0) return "There are no documents to search.";
      return "No passage matches. Try other words, or answer without the documents and say so.";
    },
  });
}

const stillReading = "Some documents are still being read and are not searched yet.";

async function search(index: Pick<KnowledgeIndex, "search">, query: string, limit: number) {
  try {
    return await index.search(query, { limit });
  } catch (cause) {
    // The message of a failed read contains a path of this machine.
    throw new ToolError("The documents cannot be read at the moment.", { cause });
  }
}

function describePassages(found: readonly FoundPassage[]): readonly string[] {
  return found.map(({ file, passage }, number) => `[${number + 1}] ${citePassage(file, passage)}\n${passage.text}`);
}
