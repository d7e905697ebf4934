/** Runs `stop` once at the first SIGINT or SIGTERM; a second one ends the process at once. */
export function onStopSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(signal === "SIGINT" ? 130 : 143);
    stopping = true;
    void stop();
  };
  process.on("SIGINT", handle);
  process.on("SIGTERM", handle);
}
