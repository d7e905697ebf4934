import { reportFailure } from "../report-failure.ts";

/** Calls `stop` at the first SIGINT or SIGTERM, or when npm's shell has ended. A second signal ends the process at once. */
export function onStopSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(signal === "SIGINT" ? 130 : 143);
    stopping = true;
    stop().catch((error: unknown) => {
      reportFailure(error);
      // Open handles would keep the process alive.
      process.exit();
    });
  };
  process.on("SIGINT", handle);
  process.on("SIGTERM", handle);
  // Not after a signal: a second one would end the process at once.
  onShellGone(() => stopping || handle("SIGTERM"));
}

interface ShellOptions {
  readonly script?: string | undefined;
  readonly parent?: () => number;
}

/**
 * Calls `gone` when the shell that npm started us in has ended. npm sends signals only to that shell, and the shell of
 * Debian and Ubuntu does not forward them: after a stopped `npm start`, this process would keep running and hold its ports.
 */
export function onShellGone(
  gone: () => void,
  { script = process.env["npm_lifecycle_script"], parent = () => process.ppid }: ShellOptions = {},
): void {
  if (!script || !namesUs.test(script) || inBackground.test(script)) return;
  const shell = parent();
  const timer = setInterval(() => {
    if (parent() === shell) return;
    clearInterval(timer);
    gone();
  }, 500);
  timer.unref();
}

/** Matches scripts that start Rehearsal. Child processes of other npm scripts inherit the variable too. */
const namesUs = /\brehearsal\b|\bcli\/main\.[jt]s\b/;
/** A script that starts us in the background wants us to keep running. */
const inBackground = /(^|[^&])&($|[^&])/;

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
