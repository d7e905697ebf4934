import { fileURLToPath } from "node:url";
import { request } from "undici";
import { startServer, type ServerProcess } from "../harness/child-process.ts";

export interface FakeModel {
  /** The base URL of a model that behaves so: `at("latency-100", "words-50")`. */
  at(...settings: readonly string[]): string;
  /** Calls and bytes received since the start, by base URL. */
  counts(): Promise<ReadonlyMap<string, { calls: number; bytes: number }>>;
  readonly process: ServerProcess;
}

const script = fileURLToPath(new URL("server.ts", import.meta.url));
const operation = "/chat/completions";

export async function startFakeModel(): Promise<FakeModel> {
  const server = await startServer({ arguments: [script] });
  const { url } = server.ready as { url: string };
  return {
    process: server,
    at: (...settings) => [url, ...settings, "v1"].join("/"),
    async counts() {
      const { body } = await request(`${url}/counts`);
      const byPath = (await body.json()) as Record<string, { calls: number; bytes: number }>;
      return new Map(Object.entries(byPath).map(([path, count]) => [url + path.slice(0, -operation.length), count]));
    },
  };
}
