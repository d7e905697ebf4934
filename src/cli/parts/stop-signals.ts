import { reportFailure } from "../report-failure.ts";
import { onShellGone } from "./shell-gone.ts";

/** Runs `stop` once at the first SIGINT or SIGTERM, or when the shell of npm has ended; a second one ends the process at once. */
export function onStopSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(signal === "SIGINT" ? 130 : 143);
    stopping = true;
    stop().catch((error: unknown) => {
      reportFailure(error);
      // What could not be closed would keep the process alive.
      process.exit();
    });
  };
  process.on("SIGINT", handle);
  process.on("SIGTERM", handle);
  // Who has the signal already is not told a second time, which would end it at once.
  onShellGone(() => stopping || handle("SIGTERM"));
}
