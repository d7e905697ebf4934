import type { ParsedMarkdown, ParserAnswer } from "./markdown.worker.ts";
import { startParser } from "./start-parser.ts";

interface Job {
  readonly text: string;
  readonly settle: (nodes: ParsedMarkdown) => void;
  readonly fail: (error: Error) => void;
}

/** Some texts take minutes, as thousands of asterisks do. The page goes on meanwhile, but the next text waits for its turn. */
const longestMilliseconds = 2000;

/** The first of them is with the worker. */
const jobs: Job[] = [];
let worker: Worker | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Reads a text as Markdown off the main thread. Null when there is too much in it or it takes too long; rejects when no worker starts. */
export function parseInWorker(text: string): Promise<ParsedMarkdown> {
  return new Promise((settle, fail) => {
    jobs.push({ text, settle, fail });
    if (worker === null) start();
    else if (jobs.length === 1) ask();
  });
}

function start(): void {
  try {
    worker = startParser();
  } catch {
    return giveUp();
  }
  worker.addEventListener("error", giveUp);
  worker.addEventListener("message", ({ data }: MessageEvent<ParserAnswer>) => {
    if (data.state === "done") finish(data.nodes);
    ask();
  });
}

function ask(): void {
  const [job] = jobs;
  if (!job) return;
  worker?.postMessage(job.text);
  timer = setTimeout(dropJob, longestMilliseconds);
}

function finish(nodes: ParsedMarkdown): void {
  clearTimeout(timer);
  jobs.shift()?.settle(nodes);
}

/** Nothing but its end stops a worker that is busy: the texts behind this one get a new one. */
function dropJob(): void {
  worker?.terminate();
  worker = null;
  finish(null);
  if (jobs.length > 0) start();
}

/** The service may be gone for a moment: the next text tries again. */
function giveUp(): void {
  clearTimeout(timer);
  worker?.terminate();
  worker = null;
  for (const { fail } of jobs.splice(0)) fail(new Error("The code that reads Markdown could not be loaded."));
}
