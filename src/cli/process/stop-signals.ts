import { reportFailure } from "../terminal/report-failure.ts";
import { isSupervised, onSupervisorStop } from "./supervised.ts";
import { onShellGone } from "./shell-gone.ts";

/** Calls `stop` at the first SIGINT or SIGTERM, or when npm's shell has ended. A second signal ends the process at once. */
export function onStopSignal(stop: () => Promise<void>): void {
  const received = { here: 0, bySupervisor: 0 };
  let handled = 0;
  // A terminal sends its signal to the supervisor and to us: that is one, not two.
  const handleFrom = (where: keyof typeof received) => (signal: NodeJS.Signals) => {
    received[where] += 1;
    if (received[where] > handled) handle(signal);
  };
  const handle = (signal: NodeJS.Signals): void => {
    handled += 1;
    if (handled > 1) process.exit(signal === "SIGINT" ? 130 : 143);
    stop().catch((error: unknown) => {
      reportFailure(error);
      // Open handles would keep the process alive.
      process.exit();
    });
  };
  process.on("SIGINT", handleFrom("here"));
  process.on("SIGTERM", handleFrom("here"));
  onSupervisorStop(handleFrom("bySupervisor"));
  // Not after a signal: a second one would end the process at once.
  if (!isSupervised()) onShellGone(() => handled > 0 || handle("SIGTERM"));
}

/** Turns the first Ctrl-C into an abort, so that finished turns can be stored; a second one exits at once. */
export function createInterruption(): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  return {
    signal: controller.signal,
    // After an interruption the handler stays: a second Ctrl-C has to end a slow shutdown too.
    stop() {
      if (controller.signal.aborted) return;
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
    },
  };
}
