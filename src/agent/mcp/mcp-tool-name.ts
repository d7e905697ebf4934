import { createHash } from "node:crypto";
import { toolNamePattern, toToolName } from "../tool-name.ts";

const longestName = 64;

/** `server__tool`, as providers accept it. A name that must be changed gets a hash, so that no two become one. */
export function mcpToolName(server: string, tool: string): string {
  const name = `${server}__${tool}`;
  if (toolNamePattern.test(name)) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${toToolName(name).slice(0, longestName - hash.length - 1)}_${hash}`;
}
