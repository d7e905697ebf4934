import { getPage, getPageConfig } from "../../../contract/operations/service.ts";
import type { PageConfig } from "../../../contract/schemas/shared/service-info.ts";
import { targetHost } from "../../http/checks/host-check.ts";
import { defineRoute } from "../../http/route.ts";
import type { AgentServices } from "../agent-parts.ts";
import { missingPage } from "./page-files.ts";

/** The settings that the page loads at its start. */
export const pageConfigRoute = defineRoute(getPageConfig, ({ page }: AgentServices) => ({ context, caller }) => {
  // Without configured keys, every request has an anonymous caller.
  const keys_required = caller === undefined;
  const body: PageConfig = { ...page.config(targetHost(context.req.url)), keys_required };
  return context.json(body);
});

/** The page's document at `/`. */
export const pageRoute = defineRoute(
  getPage,
  ({ pageFiles }: AgentServices) =>
    async ({ context }) =>
      (await pageFiles.answer(context)) ?? missingPage(),
);
