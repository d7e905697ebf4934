import type { Context } from "hono";
import type { ShellEnvironment } from "./shell-environment.ts";

/** Whose runs a request sees: the key's, or everybody's shared ones where no keys are set. */
export function ownerOf(context: Context<ShellEnvironment>): string | null {
  const { name, key } = context.get("caller");
  return key === undefined ? null : name;
}
