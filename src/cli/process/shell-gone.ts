interface ShellWatchOptions {
  readonly script?: string | undefined;
  readonly parent?: () => number;
}

/**
 * Calls `gone` when the shell that npm started us in has ended. npm sends signals only to that shell, and the shell of
 * Debian and Ubuntu does not forward them: after a stopped `npm start`, this process would keep running and hold its ports.
 */
export function onShellGone(
  gone: () => void,
  { script = process.env["npm_lifecycle_script"], parent = () => process.ppid }: ShellWatchOptions = {},
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
