/** A worker that reads Markdown. Throws where none can be started. */
export const startParser = (): Worker =>
  new Worker(new URL("./markdown.worker.ts", import.meta.url), { type: "module" });
