/** Ways to tell how a run went. `tty` and `line` are for people, the rest for programs; `otlp` and `langfuse` send it on. */
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
