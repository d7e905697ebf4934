import { z } from "zod";
import { isRecord } from "../../base/json.ts";
import type { NormalizeResult } from "./normalize-results.ts";

/** Findings about a server's last list of tools. */
export interface ToolListNotes {
  /** The tools passed on to the library. */
  readonly names: readonly string[];
  readonly unusable: readonly UnusableTool[];
  /** The list was longer than we read. */
  readonly isCut: boolean;
}

export interface ToolListReader {
  /** Filters one page: drops unusable tools, and ends a list whose cursor leads back. */
  readonly normalize: NormalizeResult;
  notes(): ToolListNotes;
}

/** Pages of one list. */
export const mostPages = 64;

/** Reads the pages of a server's lists, one list after the other. */
export function createToolListReader(): ToolListReader {
  let list = newList();

  return {
    normalize: ({ tools, nextCursor, ...rest }, { cursor }) => {
      if (!Array.isArray(tools)) return { ...rest, tools };
      if (cursor === undefined) list = newList();
      const fresh = takePage(list, tools);
      list.cursors.add(cursor);
      list.pages += 1;
      const goesOn = typeof nextCursor === "string" && nextCursor !== "";
      // Some servers use one cursor for all pages: a repeated cursor ends the list only when it brings no new tools.
      const leadsBack = list.cursors.has(nextCursor) && fresh.length === 0;
      list.isCut = goesOn && !leadsBack && list.pages >= mostPages;
      return { ...rest, tools: fresh, ...(goesOn && !leadsBack && !list.isCut && { nextCursor }) };
    },
    notes: () => ({ names: [...list.tools.keys()], unusable: [...list.unusable.values()], isCut: list.isCut }),
  };
}

const newList = () => ({
  /** Name → JSON. */
  tools: new Map<string, string>(),
  unusable: new Map<string, UnusableTool>(),
  cursors: new Set<unknown>(),
  places: 0,
  pages: 0,
  isCut: false,
});

/** The tools of a page that are new. */
function takePage(list: ReturnType<typeof newList>, page: readonly unknown[]): readonly ListedTool[] {
  return page.flatMap((value) => {
    list.places += 1;
    const tool = readListedTool(value, `number ${list.places} of its list`);
    if ("reason" in tool) return leaveOutTool(list, tool);
    const text = JSON.stringify(tool);
    const known = list.tools.get(tool.name);
    // An identical repetition is ignored.
    if (known === text) return [];
    if (known !== undefined)
      return leaveOutTool(list, { tool: tool.name, reason: "the server has another tool of this name" });
    list.tools.set(tool.name, text);
    return [tool];
  });
}

/** Notes the tool once, even if an endless list repeats it. */
function leaveOutTool({ unusable }: ReturnType<typeof newList>, tool: UnusableTool): [] {
  unusable.set(JSON.stringify(tool), tool);
  return [];
}

/** A tool of a server that cannot be used. */
export interface UnusableTool {
  readonly tool: string;
  readonly reason: string;
}

const isText = (what: string) => z.string(`its ${what} is not a text`);
const isFlag = z.boolean().optional();

const InputSchema = z.looseObject(
  {
    // Arguments are always an object, so a schema without a type means one.
    type: z
      .literal("object", {
        error: ({ input }) => `its inputSchema is of type ${JSON.stringify(input)}, and must be of type "object"`,
      })
      .default("object"),
    properties: z.record(z.string(), z.unknown(), "the properties of its inputSchema are not an object").optional(),
    required: z.array(z.string(), "`required` of its inputSchema is not a list of names").optional(),
  },
  { error: ({ input }) => (input === undefined ? "it has no inputSchema" : "its inputSchema is not an object") },
);

/**
 * The parts of a tool that we read; mistakes elsewhere do not matter. The messages are for the operator. A tool that passes here also
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
type ListedTool = z.infer<typeof ListedTool>;

const deepest = 200;

/** The tool, or the reason why it cannot be used. `place` stands in for a missing name. */
function readListedTool(value: unknown, place: string): ListedTool | UnusableTool {
  const tool = isRecord(value) && typeof value["name"] === "string" ? value["name"] : place;
  if (isDeeper(value, deepest)) return { tool, reason: "it is nested too deep" };
  if (isTask(value)) return { tool, reason: "it can only be run as a task, which is not supported" };
  const parsed = ListedTool.safeParse(withoutNull(value, ["title", "description", "annotations", "inputSchema"]));
  return parsed.success ? parsed.data : { tool, reason: parsed.error.issues[0]?.message ?? "it is not valid" };
}

/** Servers refuse plain calls of such a tool. */
function isTask(value: unknown): boolean {
  const execution = isRecord(value) ? value["execution"] : null;
  return isRecord(execution) && execution["taskSupport"] === "required";
}

/** Many servers write null for absent fields. */
function withoutNull(value: unknown, names: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name, item]) => item !== null || !names.includes(name)));
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}
