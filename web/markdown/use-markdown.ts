import { useEffect, useRef, useState } from "react";
import type { ParsedMarkdown, WorkerMessage } from "./markdown.worker.ts";
import { startMarkdownWorker } from "./start-worker.ts";

/** Size of the cache, in characters of source text. */
const cachedCharacters = 1_000_000;

/** Oldest entry first. */
const cache = new Map<string, ParsedMarkdown>();

/** The parsed Markdown; null until it is parsed, and when it cannot be rendered. */
export function useMarkdown(text: string): ParsedMarkdown {
  const [nodes, setNodes] = useState(() => cache.get(text) ?? null);
  useEffect(() => {
    if (cache.has(text)) return;
    let current = true;
    const show = (parsed: ParsedMarkdown): void => {
      remember(text, parsed);
      if (current) setNodes(parsed);
    };
    // After a failure the text stays plain and is parsed again the next time it is shown.
    parseInWorker(text).then(show, () => undefined);
    return () => {
      current = false;
    };
  }, [text]);
  return nodes;
}

/** The latest parsed state of a growing text; null until the first. One text at a time is parsed, always the newest. */
export function useStreamingMarkdown(text: string): ParsedMarkdown {
  const [nodes, setNodes] = useState<ParsedMarkdown>(null);
  const latest = useRef(text);
  const busy = useRef(false);
  useEffect(() => {
    latest.current = text;
    if (busy.current) return;
    busy.current = true;
    const parseLatest = async (): Promise<void> => {
      for (let parsed = ""; parsed !== latest.current;) {
        parsed = latest.current;
        setNodes(await parseInWorker(parsed));
      }
    };
    parseLatest()
      .catch(() => setNodes(null))
      .finally(() => (busy.current = false));
  }, [text]);
  return nodes;
}

function remember(text: string, parsed: ParsedMarkdown): void {
  cache.set(text, parsed);
  let characters = 0;
  for (const known of cache.keys()) characters += known.length;
  for (const known of cache.keys()) {
    if (characters <= cachedCharacters) return;
    cache.delete(known);
    characters -= known.length;
  }
}

interface Job {
  readonly text: string;
  readonly resolve: (nodes: ParsedMarkdown) => void;
  readonly reject: (error: Error) => void;
}

/** Some texts, such as thousands of asterisks, take minutes and would block the texts behind them. */
const timeLimit = 2000;

/** The worker processes the first one. */
const jobs: Job[] = [];
let worker: Worker | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Resolves to null when the text is too large or takes too long; rejects when the worker cannot be started. */
function parseInWorker(text: string): Promise<ParsedMarkdown> {
  return new Promise((resolve, reject) => {
    jobs.push({ text, resolve, reject });
    if (worker === null) startWorker();
    else if (jobs.length === 1) sendNext();
  });
}

function startWorker(): void {
  try {
    worker = startMarkdownWorker();
  } catch {
    return rejectAll();
  }
  worker.addEventListener("error", rejectAll);
  worker.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => {
    if (data.state === "done") finish(data.nodes);
    sendNext();
  });
}

function sendNext(): void {
  const [job] = jobs;
  if (!job) return;
  worker?.postMessage(job.text);
  timer = setTimeout(dropJob, timeLimit);
}

function finish(nodes: ParsedMarkdown): void {
  clearTimeout(timer);
  jobs.shift()?.resolve(nodes);
}

/** A busy worker can only be terminated; the remaining texts get a new one. */
function dropJob(): void {
  worker?.terminate();
  worker = null;
  finish(null);
  if (jobs.length > 0) startWorker();
}

/** Rejects all jobs. The next text starts a new worker, because the service may be back by then. */
function rejectAll(): void {
  clearTimeout(timer);
  worker?.terminate();
  worker = null;
  for (const { reject } of jobs.splice(0)) reject(new Error("The Markdown worker could not be loaded."));
}
