import { commandReference } from "../../src/cli/program.ts";
import { apiPage } from "./api-page.ts";
import { agentService, evaluationService } from "./api-services.ts";
import { configurationPage } from "./configuration-page.ts";
import { environmentPage } from "./environment-page.ts";
import { errorsPage } from "./errors-page.ts";
import { formatsPage } from "./formats-page.ts";
import { protocolsPage } from "./protocols-page.ts";

/** Every generated page, by its path below docs/. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  return {
    "reference/api-evaluation.md": apiPage(evaluationService),
    "reference/api-agent.md": apiPage(agentService),
    "reference/errors.md": errorsPage(),
    "reference/configuration.md": configurationPage(),
    "reference/environment.md": environmentPage(),
    "reference/formats.md": formatsPage(),
    "reference/protocols.md": protocolsPage(),
    "cli.md": await commandReference(),
  };
}
