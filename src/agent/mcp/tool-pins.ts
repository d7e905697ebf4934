import { createHash } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { z } from "zod";
import { canonicalJson } from "../../base/json.ts";
import { ConfigError, parseConfig, parseConfigJson } from "../config-error.ts";

/** A tool that does not match its pin. */
export interface RefusedTool {
  readonly tool: string;
  readonly reason: "changed" | "new";
}

/** Remembers what the tools of each server looked like when they were first seen. */
export interface ToolPins {
  /** What the operator does to accept what a server has changed. */
  readonly howToAccept: (server: string) => string;
  /**
   * Pins the tools of a server that has no pin yet; afterwards only tools that look the same are accepted. A list without
   * tools is not pinned: some servers offer theirs a little later.
   */
  check<Listed extends PinnedTool>(
    server: string,
    tools: readonly Listed[],
  ): Promise<{ accepted: readonly Listed[]; refused: readonly RefusedTool[] }>;
}

const PinsFile = z.record(z.string(), z.record(z.string(), z.string()));
type Pins = z.infer<typeof PinsFile>;

/**
 * Pins in a file, or in memory when `path` is null. To accept what a server has changed, the operator removes its name
 * from the file before the next start. Rejects with a `ConfigError` when the file is there and cannot be read.
 */
export async function openToolPins(path: string | null): Promise<ToolPins> {
  const pins = new Map(Object.entries(path === null ? {} : await readPins(path)));
  let writing: Promise<void> = Promise.resolve();
  const save = (): Promise<void> => {
    if (path === null) return Promise.resolve();
    writing = writing.catch(() => {}).then(() => writePins(path, Object.fromEntries(pins)));
    return writing;
  };

  return {
    howToAccept: (server) =>
      (path === null ? "" : `remove "${server}" from the file of pins and `) + "start the service again",
    check: async (server, tools) => {
      const known = pins.get(server) ?? {};
      if (Object.keys(known).length === 0) {
        if (tools.length === 0) return { accepted: [], refused: [] };
        pins.set(server, Object.fromEntries(tools.map((tool) => [tool.name, fingerprint(tool)])));
        await save();
        return { accepted: tools, refused: [] };
      }
      const refused = tools.flatMap((tool): RefusedTool[] => {
        const pin = Object.hasOwn(known, tool.name) ? known[tool.name] : undefined;
        if (pin === fingerprint(tool)) return [];
        return [{ tool: tool.name, reason: pin === undefined ? "new" : "changed" }];
      });
      const names = new Set(refused.map(({ tool }) => tool));
      return { accepted: tools.filter((tool) => !names.has(tool.name)), refused };
    },
  };
}

async function readPins(path: string): Promise<Pins> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return {};
    throw new ConfigError(`The file of MCP pins cannot be read: ${path}`, { cause });
  }
  return parseConfig(PinsFile, parseConfigJson(text, path), path);
}

/** Replaced in one step: a file cut short would look like tools that have all changed. */
async function writePins(path: string, pins: Pins): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, `${JSON.stringify(pins, null, 2)}\n`);
  await rename(draft, path);
}

/** The part of a tool that a model reads or that we act upon. */
interface PinnedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

/** Changes when anything changes that could talk a model into something else. The order of keys does not count. */
export function fingerprint({ name, title, description, inputSchema, annotations }: PinnedTool): string {
  const seen = { name, title, description, inputSchema, annotations };
  return createHash("sha256").update(canonicalJson(seen)).digest("hex");
}
