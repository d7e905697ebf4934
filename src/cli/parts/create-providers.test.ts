import { expect, test } from "vitest";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import { parseHubProviders } from "../../models/routing/hub-providers.ts";
import { readSettings } from "../../settings.ts";
import { createProviders, studioLister } from "./create-providers.ts";

const one = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";
const two = "9b2f6c1e-0000-4000-8000-000000000002";

async function studioModels(body: unknown) {
  await using provider = await startFakeProvider({ behaviour: json(body) });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const { settings } = readSettings({ STUDIO_BASE_URL: provider.url });
  const providers = createProviders({ settings, hubProviders: [], outbound, demo: null });
  return { ...(await studioLister(providers)()).models };
}

test("the models of a hub are listed in its protocol", async () => {
  await using provider = await startFakeProvider({ behaviour: json({ data: [{ id: "claude" }] }) });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const table = { own: { base_url: `${provider.origin}/anthropic`, protocol: "anthropic-messages" } };
  const hubProviders = parseHubProviders(JSON.stringify(table), {});
  const { listHubModels } = createProviders({
    settings: readSettings({}).settings,
    hubProviders,
    outbound,
    demo: null,
  });
  expect(await listHubModels?.()).toEqual(["own/claude"]);
  expect(provider.requests).toMatchObject([
    { path: "/anthropic/v1/models", headers: { "anthropic-version": "2023-06-01" } },
  ]);
});

test.each<[string, unknown, object]>([
  [
    "a UUID beside another id",
    { data: [{ id: "support-v1", uuid: one }, { id: "base-model" }] },
    { "support-v1": one },
  ],
  [
    "two names for one UUID",
    {
      data: [
        { id: one, name: "a" },
        { id: one, name: "b" },
      ],
    },
    { a: one, b: one },
  ],
  ["a map of entries, as a models file has it", { alpha: { id: one }, beta: { id: two } }, { alpha: one, beta: two }],
])("fine-tuned models are listed from %s", async (_, body, expected) => {
  expect(await studioModels(body)).toEqual(expected);
});
