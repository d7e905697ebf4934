import { spawn } from "node:child_process";

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["explorer.exe"],
};

/** Shows an address of ours in the person's browser. Where there is none, nothing happens: the address was printed too. */
export function openInBrowser(url: string): void {
  const [program, ...parameters] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...parameters, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
