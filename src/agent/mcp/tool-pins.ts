import { createHash } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { z } from "zod";
import { canonicalJson } from "../../base/json.ts";
import { ConfigError, parseOperatorConfig, parseConfigJson } from "../tools/operator-config.ts";

/** A tool that does not match its pin. */
export interface RefusedTool {
  readonly tool: string;
  readonly reason: "changed" | "new";
}

/** Keeps fingerprints of the tools of each server from the first time they were seen. */
export interface ToolPins {
  /** Instructions for the operator to accept a change. */
  readonly howToAccept: (server: string) => string;
  /**
   * Pins the tools of a server without pins; afterwards only unchanged tools are accepted. An empty list is not pinned, because some
   * servers offer their tools a little later.
   */
  check<Listed extends PinnedTool>(
    server: string,
    tools: readonly Listed[],
  ): Promise<{ accepted: readonly Listed[]; refused: readonly RefusedTool[] }>;
}

const PinsFile = z.record(z.string(), z.record(z.string(), z.string()));
type Pins = z.infer<typeof PinsFile>;

/**
 * Opens the pins in a file, or in memory when `path` is null. To accept a change, the operator removes the name of the server from the
 * file before the next start. Rejects with a `ConfigError` when the file exists and cannot be read.
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
        pins.set(server, Object.fromEntries(tools.map((tool) => [tool.name, toolFingerprint(tool)])));
        await save();
        return { accepted: tools, refused: [] };
      }
      const refused = tools.flatMap((tool): RefusedTool[] => {
        const pin = Object.hasOwn(known, tool.name) ? known[tool.name] : undefined;
        if (pin === toolFingerprint(tool)) return [];
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
  return parseOperatorConfig(PinsFile, parseConfigJson(text, path), path);
}

/** Replaces the file atomically: a truncated one would look as if all tools had changed. */
async function writePins(path: string, pins: Pins): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, `${JSON.stringify(pins, null, 2)}\n`);
  await rename(draft, path);
}

/** The parts of a tool that the model reads or that we act on. */
interface PinnedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

/** Changes with everything that could influence the model. The order of keys does not matter. */
export function toolFingerprint({ name, title, description, inputSchema, annotations }: PinnedTool): string {
  const seen = { name, title, description, inputSchema, annotations };
  return createHash("sha256").update(canonicalJson(seen)).digest("hex");
}
