import { url as debuggerAddress } from "node:inspector";
import { identifyAs } from "../../storage/tables/host.ts";
import { isService } from "./process-memory.ts";
import {
  assignmentVariable,
  beatsWithin,
  type Assignment,
  type Ports,
  type Report,
  type StopRequest,
} from "./messages.ts";

let assignment: Assignment | null = null;

/**
 * True for a service that this process should start and watch instead of being it: not in a debugger, which would hold both, nor with
 * a channel to a process manager, which would reach only this one.
 */
export function needsSupervisor(
  command: string,
  { env, execArgv, permission, send }: Pick<NodeJS.Process, "env" | "execArgv" | "permission" | "send"> = process,
): boolean {
  if (!isService(command) || env["REHEARSAL_WATCHDOG_MS"]?.trim() === "0") return false;
  const isDebugged = [env["NODE_OPTIONS"] ?? "", ...execArgv].some((text) => text.includes("--inspect"));
  return !isDebugged && permission === undefined && send === undefined;
}

/** Reads what the supervisor of this process hands over. False without a supervisor. */
export function acceptSupervision(): boolean {
  const text = process.env[assignmentVariable];
  // Programs that this process starts have no supervisor.
  delete process.env[assignmentVariable];
  if (text === undefined || process.send === undefined) return false;
  assignment = JSON.parse(text) as Assignment;
  identifyAs(assignment.pid);
  // A killed supervisor takes this process along, as if that had been killed.
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  process.channel?.unref();
  return true;
}

export const isSupervised = (): boolean => assignment !== null;

/** How the process before this one ended, and what this one takes over. Null unless it replaces another. */
export const restartOf = (): Assignment["restart"] | null => assignment?.restart ?? null;

/** Called when this process begins to execute runs: from here on its supervisor ends it if it stands still for `silenceMs`. */
export function beginBeats({ worker, silenceMs }: { worker: string; silenceMs: number }): void {
  if (!assignment) return;
  report({ type: "begun", worker, silenceMs });
  const everyMs = silenceMs > 0 ? Math.min(1_000, silenceMs / beatsWithin) : 1_000;
  setInterval(() => report({ type: "beat", paused: debuggerAddress() !== undefined }), everyMs).unref();
}

/** Lets a process that replaces this one listen at the same ports. */
export const reportPorts = (ports: Ports): void => report({ type: "listening", ports });

/** Calls back for every signal that reaches the supervisor. */
export function onSupervisorStop(stop: (signal: NodeJS.Signals) => void): void {
  if (!assignment) return;
  process.on("message", (message: StopRequest) => {
    if (message.type === "stop") stop(message.signal);
  });
  // The listener would keep the process alive.
  process.channel?.unref();
  report({ type: "stoppable" });
}

function report(message: Report): void {
  // A supervisor that is gone takes this process along anyway.
  if (assignment) process.send?.(message, () => {});
}
