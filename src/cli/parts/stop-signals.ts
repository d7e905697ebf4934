import { reportFailure } from "../report-failure.ts";

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

interface ShellOptions {
  readonly script?: string | undefined;
  readonly parent?: () => number;
}

/**
 * Calls `gone` when the shell that npm started us in has ended. npm hands a signal to that shell, and the one of Debian and
 * Ubuntu ends without passing it on: whoever stopped `npm start` would leave us behind, with our ports.
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

/** The variable is inherited: what another script started is not tied to it. */
const namesUs = /\brehearsal\b|\bcli\/main\.[jt]s\b/;
/** A script that puts us there means us to stay. */
const inBackground = /(^|[^&])&($|[^&])/;
