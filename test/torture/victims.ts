import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Worker processes to be killed. The next one is loaded while the present one works, so that cycles are short. */
interface Victims extends AsyncDisposable {
  /** How many work now. */
  readonly size: number;
  start(): void;
  /** Ends one of them, by its place in the order they were started, with SIGKILL. */
  kill(place: number): Promise<void>;
}

interface VictimsOptions {
  readonly address: string;
  /** The worker's program. */
  readonly script: string;
  readonly cacheFolder: string;
}

export function createVictims({ address, script, cacheFolder }: VictimsOptions): Victims {
  const working: ChildProcess[] = [];
  let spare = load();

  function load(): ChildProcess {
    const child = spawn(process.execPath, [script, address], {
      stdio: ["pipe", "ignore", "ignore"],
      env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: cacheFolder },
    });
    child.stdin?.on("error", () => {});
    return child;
  }

  return {
    get size() {
      return working.length;
    },
    start() {
      spare.stdin?.write("go\n");
      working.push(spare);
      spare = load();
    },
    async kill(place) {
      for (const child of working.splice(place, 1)) await end(child);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...working, spare].map(end));
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
