// Repeated from the contract, with a test that compares them: loading its schemas would double the time of --help.
export const historyChoices = ["generated", "reference", "both"] as const;

/** `tty` and `line` are for people, the others for programs; `otlp` and `langfuse` send results to another service. */
export const reporterNames = [
  "tty",
  "line",
  "json",
  "junit",
  "github",
  "markdown",
  "html",
  "otlp",
  "langfuse",
] as const;
export type ReporterName = (typeof reporterNames)[number];
