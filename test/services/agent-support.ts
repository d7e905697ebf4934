import { createParser } from "eventsource-parser";
import { defineTool } from "../../src/agent/tools/tool.ts";
import { scriptedModel, type ScriptedTurn } from "../../src/agent/testing/scripted-model.ts";
import { calculator } from "../../src/agent/tools/calculator.ts";
import type { ChatModel } from "../../src/contract/ports/chat-model.ts";
import { createRouter } from "../../src/models/routing/router.ts";
import { createScenarioLibrary } from "../../src/runs/scenario-library.ts";
import { createAgentParts } from "../../src/services/agent/agent-parts.ts";
import { createAgentApp } from "../../src/services/agent/app.ts";
import type { AgentDependencies } from "../../src/services/agent/dependencies.ts";
import type { Turns } from "../../src/services/agent/turns/turns.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { listen } from "../../src/services/http/listen.ts";
import { createLog } from "../../src/services/http/log.ts";
import { readSettings } from "../../src/settings.ts";

interface ServerEvent {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** Every event of a stream, in order. `[DONE]` comes as an event of that name. */
export async function readEvents(response: Response): Promise<ServerEvent[]> {
  return parseEvents(await response.text());
}

export function parseEvents(text: string): ServerEvent[] {
  const events: ServerEvent[] = [];
  const parser = createParser({
    onEvent: ({ event = "", data }) =>
      events.push(data === "[DONE]" ? { event: data, data: {} } : { event, data: JSON.parse(data) }),
  });
  parser.feed(text);
  return events;
}

/** A tool that must be approved; `sent` is what it was called with. */
export function mailTool(sent: unknown[]) {
  return defineTool({
    name: "send_mail",
    description: "Sends a mail.",
    parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    needsApproval: true,
    run: (args) => {
      sent.push(args);
      return "sent";
    },
  });
}

export interface AgentUnderTest extends AsyncDisposable {
  readonly url: string;
  readonly app: ReturnType<typeof createAgentApp>;
  readonly turns: Turns;
}

/** The agent backend on a free port with these hub models, by their whole id. */
export async function runAgentApp(
  models: Readonly<Record<string, ChatModel>>,
  overrides: Partial<AgentDependencies> = {},
): Promise<AgentUnderTest> {
  const { settings } = readSettings({ LOG_LEVEL: "silent", REHEARSAL_DEMO: "off" });
  const log = createLog({ level: "silent" });
  const storage = await openSqlite({ file: ":memory:" });
  const dependencies: AgentDependencies = {
    router: createRouter({ demo: { hub: models, studio: {} }, aliases: { best: Object.keys(models)[0] ?? "a/b" } }),
    listStudioModels: async () => ({ models: {}, stale: false }),
    tools: () => [calculator()],
    limits: {},
    maxMessages: 500,
    patienceMs: 5_000,
    demo: null,
    page: {
      folder: "/nowhere",
      config: () => ({ evaluation: "", version: "0", demo: false, hub_models: [], limits: [] }),
    },
    log,
    version: "0",
    bodyLimits: { depth: 32, keys: 1000, bytes: 4 * 1024 * 1024 },
    apiKeys: [],
    allowedHosts: [],
    allowedOrigins: () => [],
    readiness: async () => {},
    memory: storage.agent,
    library: createScenarioLibrary(storage.library),
    ...overrides,
  };
  const parts = createAgentParts(dependencies);
  const app = createAgentApp(dependencies, parts);
  const listening = await listen({ app, host: "127.0.0.1", port: 0, limits: settings.http, log, version: "0" });
  return {
    url: listening.url,
    app,
    turns: parts.turns,
    async [Symbol.asyncDispose]() {
      await listening.close(0);
      await storage.close();
    },
  };
}

/** One hub model, `test/model`, that plays a script. */
export function scripted(...turns: readonly ScriptedTurn[]) {
  const model = scriptedModel(...turns);
  return { models: { "test/model": model }, model };
}

/** A log that keeps its lines. */
export function keptLog() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, log: createLog({ level: "warn", terminal: false, write }) };
}

export const human = (content: string) => ({ messages: [{ type: "human", content }] });

/** The body of a call of OpenAI's chat interface. */
export const ask = (stream: boolean) => ({ model: "test/model", stream, messages: [{ role: "user", content: "Hi" }] });

export function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-model-id": "test/model", ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}
