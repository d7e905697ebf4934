import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Skip } from "../harness/skip.ts";

/** Each in a folder of its own, so that one that cannot be installed takes no other with it. Exact versions. */
const packages = {
  promptfoo: ["promptfoo@0.123.1"],
  evalite: ["evalite@0.19.0", "vitest@4.0.8"],
  langgraph: ["@langchain/langgraph@1.4.17", "@langchain/openai@1.6.0", "@langchain/core@1.2.13", "zod@4.6.7"],
  "ai-sdk": ["ai@7.0.169", "@ai-sdk/openai-compatible@3.0.90", "zod@4.6.7"],
  "openai-agents": ["@openai/agents@0.20.0", "openai@7.53.0", "zod@4.6.7"],
  portkey: ["@portkey-ai/gateway@1.15.2"],
} as const;
export type PeerName = keyof typeof packages;

export interface Peers {
  /** The folder of an installed peer. Throws a `Skip` with the reason when it is missing. */
  folderOf(name: PeerName): string;
  /** A folder for what the peers write. */
  readonly scratch: string;
}

const run = promisify(execFile);

/** Kept between runs in the temporary folder: nothing of a peer is ever in the tree. */
const home = join(tmpdir(), "rehearsal-bench-peers");

export async function installPeers({ scratch, say }: { scratch: string; say: (line: string) => void }): Promise<Peers> {
  const problems = new Map<PeerName, string>();
  for (const name of Object.keys(packages) as PeerName[]) {
    try {
      await install(name);
    } catch (error) {
      problems.set(name, reasonOf(error));
      say(`skipped: ${name} cannot be installed: ${problems.get(name)}`);
    }
  }
  return {
    scratch,
    folderOf(name) {
      const problem = problems.get(name);
      if (problem !== undefined) throw new Skip(`it cannot be installed: ${problem}`);
      return folderOf(name);
    },
  };
}

function folderOf(name: PeerName): string {
  return join(home, name);
}

/** Nothing is run at the installation: a peer's install scripts have no business on this machine. */
async function install(name: PeerName): Promise<void> {
  const folder = folderOf(name);
  const wanted = packages[name].join(" ");
  const mark = join(folder, "installed.txt");
  if ((await readFile(mark, "utf8").catch(() => "")) === wanted) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const options = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", ...packages[name]];
  await run("npm", options, { cwd: folder, timeout: 600_000, maxBuffer: 64 * 1024 * 1024 });
  await writeFile(mark, wanted);
}

function reasonOf(error: unknown): string {
  const text = String((error as { stderr?: string }).stderr ?? error);
  const line = text.split("\n").find((candidate) => /npm error (?!A complete log)/.test(candidate));
  return (line ?? text.split("\n", 1)[0] ?? "").slice(0, 200);
}
