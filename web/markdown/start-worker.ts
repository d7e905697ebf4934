/** Throws when no worker can be started. The report build replaces this module. */
export const startMarkdownWorker = (): Worker =>
  new Worker(new URL("./markdown.worker.ts", import.meta.url), { type: "module" });
