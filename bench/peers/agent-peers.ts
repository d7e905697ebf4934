import { copyFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { request } from "undici";
import { startServer, type ServerProcess } from "../harness/child-process.ts";
import type { PeerName, Peers } from "./install-peers.ts";

interface PeerServer {
  readonly name: string;
  /** Headers its requests need. */
  readonly headers: Readonly<Record<string, string>>;
  start(): Promise<ServerProcess>;
}

/** Agents of other frameworks behind the same small HTTP server, with the same one tool. */
export function agentPeers(endpoint: string, peers: Peers): PeerServer[] {
  const peer = (name: string, folder: PeerName): PeerServer => ({
    name,
    headers: {},
    start: () => startDriver(`${folder}.mjs`, peers.folderOf(folder), endpoint),
  });
  return [peer("LangGraph", "langgraph"), peer("AI SDK", "ai-sdk"), peer("OpenAI agents", "openai-agents")];
}

/** Gateways that pass a completion on. */
export function gatewayPeers(endpoint: string, peers: Peers): PeerServer[] {
  const headers = { "x-portkey-provider": "openai", "x-portkey-custom-host": endpoint, authorization: "Bearer none" };
  return [{ name: "Portkey gateway", headers, start: () => startPortkey(peers) }];
}

/** Packages resolve from where a script is, so our drivers are copied to where the peer is. */
async function startDriver(driver: string, folder: string, endpoint: string): Promise<ServerProcess> {
  for (const name of ["serve-agent.mjs", driver]) await copyDriver(name, folder);
  return startServer({
    arguments: [join(folder, driver), endpoint],
    environment: { OPENAI_API_KEY: "none", OPENAI_AGENTS_DISABLE_TRACING: "1", LANGCHAIN_TRACING_V2: "false" },
    folder,
  });
}

/** The gateway listens on every address of the machine unless it is held back: the driver binds it to loopback. */
async function startPortkey(peers: Peers): Promise<ServerProcess> {
  const folder = peers.folderOf("portkey");
  await copyDriver("loopback-only.mjs", folder);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer({
    arguments: [
      "--import",
      join(folder, "loopback-only.mjs"),
      join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js"),
      `--port=${port}`,
      "--headless",
    ],
    environment: { NODE_ENV: "production", TRUSTED_CUSTOM_HOSTS: "127.0.0.1,localhost" },
    folder,
  });
  await untilItAnswers(url);
  return { ...server, ready: { url } };
}

async function copyDriver(name: string, folder: string): Promise<void> {
  await copyFile(fileURLToPath(new URL(`drivers/${name}`, import.meta.url)), join(folder, basename(name)));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilItAnswers(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await request(url).catch(() => null);
    if (answer) return void (await answer.body.dump());
    await sleep(50);
  }
  throw new Error(`${url} does not answer`);
}
