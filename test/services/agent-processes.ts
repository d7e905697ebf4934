import { writeFile } from "node:fs/promises";
import { AgentRunDetails } from "../../src/contract/schemas/agent/agent-run.ts";
import { startServe, type ServeProcess } from "../hardening/support/serve-process.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { send } from "../support/http.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { runServices } from "../support/services.ts";
import { stallPostgres, stallSqlite, type StalledWrite } from "../support/stalled-writes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Sends one message to the agent. */
export const ask = (agent: string, content: string, headers: Record<string, string> = {}) =>
  send(`${agent}/`, {
    headers: { "x-model-id": "hub/model", ...headers },
    body: { messages: [{ type: "human", content }] },
  });

/** A provider, tools that reach a shop, and processes that share one store. */
export async function world(database: "SQLite" | "PostgreSQL") {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const shop = opened.use(await startFakeProvider({ behaviour: ({ response }) => void response.end("done") }));
  const provider = opened.use(await startFakeProvider());
  const order = { name: "order", description: "Orders.", method: "POST", url: `${shop.origin}/orders`, approval: true };
  const thank = { name: "thank", description: "Thanks.", method: "POST", url: `${shop.origin}/thanks` };
  const look = { name: "look", description: "Looks.", method: "GET", url: `${shop.origin}/goods` };
  await writeFile(folder.file("tools.json"), JSON.stringify({ tools: [order, thank, look] }));
  const environment: Record<string, string> = {
    HUB_BASE_URL: provider.url,
    AGENT_HTTP_TOOLS: folder.file("tools.json"),
    REHEARSAL_DATA_DIR: folder.file("data"),
    LOG_LEVEL: "silent",
  };
  const url = database === "PostgreSQL" ? opened.use(await createTestDatabase()).url : null;
  if (url !== null) environment["DATABASE_URL"] = url;
  const parts = opened.move();
  return {
    provider,
    shop,
    /** A process that can be killed. */
    start: (more: Record<string, string> = {}) => startServe({ ...environment, ...more }),
    /** The services in this process, which start in a tenth of the time. */
    startHere: () => runServices(environment),
    /** Stops the next write of this kind half-way. */
    stall: (serve: ServeProcess, write: StalledWrite) =>
      url === null ? stallSqlite(folder.file("data/rehearsal.db"), serve.agent, write) : stallPostgres(url, write),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

export async function kill(serve: ServeProcess): Promise<void> {
  serve.child.kill("SIGKILL");
  await serve.ended;
}

export async function runOf(agent: string, id: unknown): Promise<AgentRunDetails> {
  return AgentRunDetails.parse((await send(`${agent}/agent/runs/${id}`)).body);
}

export const called = (provider: FakeProvider) => provider.requests.filter(({ method }) => method === "POST");

/** Tells when it is asked, and never answers. */
export function hanging() {
  const arrived = Promise.withResolvers<void>();
  return { arrived: arrived.promise, behaviour: () => arrived.resolve() };
}
