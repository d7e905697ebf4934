import type { Context } from "hono";
import type { ShellEnvironment } from "../http/shell-environment.ts";

/** Whose runs a request sees: the key's, or everybody's shared ones where no keys are set. */
export function ownerOf(context: Context<ShellEnvironment>): string | null {
  const { name } = context.get("caller");
  return name === "anonymous" ? null : name;
}
