import { expect, test } from "vitest";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import { createLog } from "../../services/http/log.ts";
import { readSettings } from "../../settings.ts";
import { createTools } from "./create-tools.ts";

async function namesWith(variables: Record<string, string>): Promise<string[]> {
  await using outbound = createOutbound();
  const { settings } = readSettings(variables);
  await using toolset = await createTools(settings.agent, { outbound, log: createLog({ level: "silent" }) });
  return toolset.tools().map(({ definition }) => definition.name);
}

test("web_fetch stands beside a folder of knowledge only where it is named", async () => {
  const folder = { AGENT_KNOWLEDGE_DIR: import.meta.dirname };
  expect(await namesWith({})).toEqual(["current_time", "calculator", "web_fetch"]);
  expect(await namesWith(folder)).toEqual(["current_time", "calculator", "search_knowledge"]);
  const named = { ...folder, AGENT_TOOLS: "search_knowledge,web_fetch" };
  expect(await namesWith(named)).toEqual(["search_knowledge", "web_fetch"]);
});
