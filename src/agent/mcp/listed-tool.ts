import { z } from "zod";
import { isRecord } from "../../base/json.ts";

/** A tool that a server offers and that nobody can use. */
export interface UnusableTool {
  readonly tool: string;
  readonly reason: string;
}

const isText = (what: string) => z.string(`its ${what} is not a text`);
const isFlag = z.boolean().optional();

const InputSchema = z.looseObject(
  {
    // Arguments are an object in any case, so a schema that does not say so still means it.
    type: z
      .literal("object", {
        error: ({ input }) => `its inputSchema is of type ${JSON.stringify(input)}, and must be of type "object"`,
      })
      .default("object"),
    properties: z.record(z.string(), z.unknown(), "the properties of its inputSchema are not an object").optional(),
    required: z.array(z.string(), "what its inputSchema requires is not a list of names").optional(),
  },
  { error: ({ input }) => (input === undefined ? "it has no inputSchema" : "its inputSchema is not an object") },
);

/**
 * What we read of a tool; a slip in any other part of it costs nothing. The messages are for the operator. What passes here also
 * passes the library, in every revision of the protocol.
 */
const ListedTool = z.object(
  {
    name: isText("name"),
    title: isText("title").optional(),
    description: isText("description").optional(),
    inputSchema: z.preprocess((value) => withoutNull(value, ["$schema", "properties", "required"]), InputSchema),
    annotations: z
      .object({
        title: z.string().optional(),
        readOnlyHint: isFlag,
        destructiveHint: isFlag,
        idempotentHint: isFlag,
        openWorldHint: isFlag,
      })
      .optional()
      .catch(undefined),
  },
  "it is not an object",
);
export type ListedTool = z.infer<typeof ListedTool>;

const deepest = 200;

/** The tool, or why it cannot be used. `place` names one that has no name. */
export function readListedTool(value: unknown, place: string): ListedTool | UnusableTool {
  const tool = isRecord(value) && typeof value["name"] === "string" ? value["name"] : place;
  if (isDeeper(value, deepest)) return { tool, reason: "it is nested too deep" };
  if (isTask(value)) return { tool, reason: "it can only be run as a task, which is not supported" };
  const parsed = ListedTool.safeParse(withoutNull(value, ["title", "description", "annotations", "inputSchema"]));
  return parsed.success ? parsed.data : { tool, reason: parsed.error.issues[0]?.message ?? "it is not valid" };
}

/** A plain call of such a tool is always refused. */
function isTask(value: unknown): boolean {
  const execution = isRecord(value) ? value["execution"] : null;
  return isRecord(execution) && execution["taskSupport"] === "required";
}

/** Many servers write null for what is not there. */
function withoutNull(value: unknown, names: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name, item]) => item !== null || !names.includes(name)));
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}
