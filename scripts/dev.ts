// Shows the page from its sources, with both services running from theirs: edits of `web/` appear at once, services restart on
// every edit of `src/`. Options are those of `rehearsal serve`.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const [agent, page] = ["http://127.0.0.1:8000", "http://localhost:5173"];

const services = spawn(
  process.execPath,
  ["--watch", "--watch-preserve-output", `${root}src/cli/main.ts`, "serve", "--no-open", ...process.argv.slice(2)],
  {
    stdio: "inherit",
    // The evaluation service is called by the page directly, from another origin than in the product.
    env: {
      ...process.env,
      REHEARSAL_AGENT_PORT: "8000",
      REHEARSAL_CORS_ORIGINS: page,
      LOG_LEVEL: process.env["LOG_LEVEL"] ?? "warn",
    },
  },
);
services.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => services.kill(signal));

const toAgent = { target: agent, changeOrigin: true };
const vite = await createServer({
  root: `${root}web`,
  server: {
    port: 5173,
    strictPort: true,
    proxy: {
      "^/(?:agent|demo|docs|page|studio|v1)/": toAgent,
      // The chat posts to the address of the page.
      "^/$": { ...toAgent, bypass: ({ method, url }) => (method === "GET" ? url : undefined) },
    },
  },
});
await vite.listen();
process.stderr.write(`The page, reloaded on every edit: ${page}\n`);
