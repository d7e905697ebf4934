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
