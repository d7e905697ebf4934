// oxlint-disable-next-line import/default -- the builder makes it
import MarkdownWorker from "../markdown/markdown.worker.ts?worker&inline";

/** A file has no other files beside it: the code of the worker is in it too. */
export const startParser = (): Worker => new MarkdownWorker();
