/** Adds a protocol to the registry before anything reads it, and prints what a user then sees of it. Started by test/protocols.test.ts. */
import { protocols } from "../../src/contract/protocols/protocols.ts";

const name = "throw-away" as "openai-chat";
const facts = { ...protocols["openai-chat"], path: "throws", keyHeader: "x-throw-key" };
Object.assign(protocols, { [name]: { ...facts, title: "A throw-away", about: "a protocol of a test" } });

const { Command } = await import("commander");
const { Secret } = await import("../../src/base/secret.ts");
const { toOpenApi } = await import("../../src/contract/operations/openapi.ts");
const { EvaluationRequest } = await import("../../src/contract/schemas/evaluation-request.ts");
const { offersTools } = await import("../../src/contract/schemas/acting/target.ts");
const { withEvalOptions } = await import("../../src/cli/options/eval-options.ts");
const { providerCredential } = await import("../../src/cli/composition/clients.ts");
const { createCredentialHeaders } = await import("../../src/models/outbound/credentials.ts");
const { chatProtocols } = await import("../../src/models/protocols/adapters.ts");
const { createChatModel } = await import("../../src/models/protocols/create-chat-model.ts");
const { createOutbound } = await import("../../src/models/outbound/create-outbound.ts");
const { listProviderModels } = await import("../../src/models/protocols/list-models.ts");
const { protocolsPage } = await import("../../scripts/reference/protocols-page.ts");
const { evaluationService } = await import("../../scripts/reference/api-services.ts");
const { protocolOptions } = await import("../../web/new-run/run-draft.ts");
const { startFakeProvider } = await import("./fake-provider.ts");

const openaiChat = await chatProtocols["openai-chat"]();
Object.assign(chatProtocols, {
  [name]: async () => ({ ...openaiChat, headers: { "x-throw": "1" }, afterParameter: "behind" }),
});

await using provider = await startFakeProvider();
await using outbound = createOutbound({ retry: { maximum: 0 } });
const signal = AbortSignal.timeout(10_000);
const credential = providerCredential({ baseUrl: provider.url, apiKey: new Secret("key-1"), protocol: name });
const model = createChatModel({ outbound, protocol: name, endpoint: provider.url, modelId: "m", credential });
await model({ messages: [{ role: "user", content: "Hello?" }] }, { signal });
await listProviderModels({ outbound, baseUrl: provider.url, protocol: name, credential, signal });

const headersFor = createCredentialHeaders(credential ? [credential] : []);
const { components } = toOpenApi({
  title: "",
  version: "1",
  description: "",
  operations: evaluationService.operations,
});
const seen = {
  request: EvaluationRequest.safeParse({
    test_batch: { id: "s", interactions: [{ id: "1", user_message: "Hello?" }] },
    endpoint: provider.url,
    model_id: "m",
    protocol: name,
  }).success,
  document: JSON.stringify(components["schemas"]?.["Protocol"]),
  describedInDocument: JSON.stringify(components).includes("a protocol of a test"),
  help: withEvalOptions(new Command(), "").options.find(({ long }) => long === "--protocol")?.argChoices,
  offersTools: offersTools({ protocol: name }),
  sent: provider.requests.map(({ path, headers }) => [path, headers["x-throw"], headers["x-throw-key"]]),
  bound: headersFor({ url: new URL(`${provider.url}/throws`), operation: facts.path as "responses" }).headers,
  elsewhere: headersFor({ url: new URL(`${provider.url}/files`), operation: facts.path as "responses" }).headers,
  page: protocolOptions.find(({ id }) => id === name),
  reference: protocolsPage().includes("- `throw-away`: a protocol of a test."),
};
console.log(JSON.stringify(seen));
