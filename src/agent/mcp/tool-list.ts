import { readListedTool, type ListedTool, type UnusableTool } from "./listed-tool.ts";
import type { Shape } from "./shape-answers.ts";

/** What we made of a server's last list of tools. */
export interface ToolListNotes {
  /** The tools that the library was given. */
  readonly names: readonly string[];
  readonly unusable: readonly UnusableTool[];
  /** The list went on, and we did not. */
  readonly isCut: boolean;
}

export interface ToolListReader {
  /** Of one page: leaves out what cannot be used, and ends a list that leads back to where it was. */
  readonly shape: Shape;
  notes(): ToolListNotes;
}

/** Of one list. */
export const mostPages = 64;

/** Reads the pages of a server's lists, which are asked for one list after the other. */
export function createToolListReader(): ToolListReader {
  let list = newList();

  return {
    shape: ({ tools, nextCursor, ...rest }, { cursor }) => {
      if (!Array.isArray(tools)) return { ...rest, tools };
      if (cursor === undefined) list = newList();
      const fresh = takePage(list, tools);
      list.cursors.add(cursor);
      list.pages += 1;
      const goesOn = typeof nextCursor === "string" && nextCursor !== "";
      // Some servers give one cursor for all pages, so a cursor that comes again is no end while there are new tools.
      const leadsBack = list.cursors.has(nextCursor) && fresh.length === 0;
      list.isCut = goesOn && !leadsBack && list.pages >= mostPages;
      return { ...rest, tools: fresh, ...(goesOn && !leadsBack && !list.isCut && { nextCursor }) };
    },
    notes: () => ({ names: [...list.tools.keys()], unusable: [...list.unusable.values()], isCut: list.isCut }),
  };
}

const newList = () => ({
  /** Each as text. */
  tools: new Map<string, string>(),
  unusable: new Map<string, UnusableTool>(),
  cursors: new Set<unknown>(),
  places: 0,
  pages: 0,
  isCut: false,
});

/** The tools of a page that were on none before. */
function takePage(list: ReturnType<typeof newList>, page: readonly unknown[]): readonly ListedTool[] {
  return page.flatMap((value) => {
    list.places += 1;
    const tool = readListedTool(value, `number ${list.places} of its list`);
    if ("reason" in tool) return leaveOut(list, tool);
    const text = JSON.stringify(tool);
    const known = list.tools.get(tool.name);
    // The same tool once more is no loss.
    if (known === text) return [];
    if (known !== undefined)
      return leaveOut(list, { tool: tool.name, reason: "the server has another tool of this name" });
    list.tools.set(tool.name, text);
    return [tool];
  });
}

/** Once, however often a list without an end repeats it. */
function leaveOut({ unusable }: ReturnType<typeof newList>, tool: UnusableTool): [] {
  unusable.set(JSON.stringify(tool), tool);
  return [];
}
