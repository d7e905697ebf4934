/** Ways to tell how a run went. `tty` and `line` are for people, the rest for programs. */
export const reporterNames = ["tty", "line", "json", "junit", "github", "markdown", "html"] as const;
export type ReporterName = (typeof reporterNames)[number];
