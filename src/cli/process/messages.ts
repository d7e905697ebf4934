/** Where a supervised process finds its `Assignment`. */
export const assignmentVariable = "REHEARSAL_SUPERVISED";

/** The facts that a supervisor hands to the process that it starts. */
export interface Assignment {
  /** The process id of the supervisor, which is that of all processes it starts for others on this host. */
  readonly pid: number;
  /** Set from the second process on. */
  readonly restart?: {
    /** How the process before ended, for the log. */
    readonly reason: string;
    /** Workers of earlier processes that stood still. */
    readonly broken: readonly string[];
    /** The ports of the process before, in case that the system chose them. */
    readonly ports?: Ports;
  };
}

export interface Ports {
  readonly agent: number;
  readonly evaluation: number;
}

/** A message of a supervised process. */
export type Report =
  /** It is about to execute runs. From here on it beats, and is ended after `silenceMs` without a beat (0: never). */
  | { readonly type: "begun"; readonly worker: string; readonly silenceMs: number }
  /** `paused`: a debugger may hold it, so that silence means nothing. */
  | { readonly type: "beat"; readonly paused: boolean }
  /** It stops by itself when it is asked to. */
  | { readonly type: "stoppable" }
  | { readonly type: "listening"; readonly ports: Ports };

/** A message of a supervisor. */
export interface StopRequest {
  readonly type: "stop";
  readonly signal: NodeJS.Signals;
}

/** Beats in the time after which silence ends a process. */
export const beatsWithin = 10;
