import { once } from "node:events";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { followRun } from "../eval/follow-run.ts";
import type { SourceOptions } from "../options.ts";
import { loadEnvironment } from "../parts/load-settings.ts";
import type { Reporter } from "../reporters/reporter.ts";
import { openSession } from "../sources/open-session.ts";
import { openSource, serverFromEnvironment } from "../sources/open-source.ts";
import { serverClient } from "../sources/server-source.ts";
import { version } from "../version.ts";
import { createRunsMcpServer } from "./create-runs-mcp-server.ts";

/** Serves one assistant until it closes its end. Stdout belongs to the protocol. */
export async function serveMcp({ allowRun = false, ...where }: SourceOptions & { allowRun?: boolean }): Promise<void> {
  loadEnvironment(where.envFile);
  const address = where.server ?? serverFromEnvironment(where.dataDir);
  // An address that nothing can be asked at is told to whoever set it, not to the assistant with every call.
  if (address !== undefined) serverClient(address);
  const server = createRunsMcpServer({
    openSource: () => openSource(where),
    version,
    ...(allowRun && {
      evaluate: async (request, { signal, onProgress }) => {
        await using session = await openSession({ ...where, agent: request.endpoint === undefined });
        const endpoint = request.endpoint ?? session.agent ?? "";
        const protocol = request.endpoint === undefined ? ("agent" as const) : undefined;
        const { client } = session;
        const run = await client.start({ ...request, endpoint, ...(protocol && { protocol }) }, { signal });
        const told: Reporter = { onTurn: (_turn, { done, turns }) => onProgress(done, turns) };
        return await followRun(run, { client, reporters: [told], signal });
      },
    }),
  });
  await server.connect(new StdioServerTransport());
  await once(process.stdin, "end");
  await server.close();
}
