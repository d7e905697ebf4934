import { reportFailure } from "../report-failure.ts";

/** Runs `stop` once at the first SIGINT or SIGTERM; a second one ends the process at once. */
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
}
