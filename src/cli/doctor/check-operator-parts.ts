import type { Outbound } from "../../models/outbound/outbound.ts";
import type { Settings } from "../../settings.ts";
import { readCustomScorers } from "../parts/read-custom-scorers.ts";
import { readRunner } from "../parts/read-runner.ts";
import { readTools } from "../parts/read-tools.ts";
import { attempt, ok, type Check } from "./check.ts";

/** Files and modules of the operator's that a start would be refused for: tools, scorers, an agent of his own. */
export async function checkOperatorParts(
  { agent, scorersModule }: Settings,
  { outbound }: { outbound: Outbound },
): Promise<readonly Check[]> {
  const checks = await Promise.all([
    attempt("tools", () => checkTools(agent, outbound)),
    scorersModule === null ? [] : attempt("scorers", () => checkScorers(scorersModule)),
    agent.runner === null ? [] : attempt("agent", () => checkRunner(agent.runner)),
  ]);
  return checks.flat();
}

async function checkTools(settings: Settings["agent"], outbound: Outbound): Promise<Check> {
  const { own, mcp } = await readTools(settings, { outbound });
  const names = own.map(({ definition }) => definition.name);
  const servers = mcp?.servers.map(({ name }) => `${name} (MCP)`) ?? [];
  return ok("tools", [...names, ...servers].join(", ") || "none");
}

async function checkScorers(path: string): Promise<Check> {
  const scorers = await readCustomScorers(path, { scrub: (text) => text });
  return ok("scorers", Object.keys(scorers).join(", ") || `${path} exports none`);
}

async function checkRunner(path: string | null): Promise<Check> {
  await readRunner(path);
  return ok("agent", `${path} can be loaded`);
}
