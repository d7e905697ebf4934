import MiniSearch from "minisearch";
import { withTimeoutOrNull } from "../../base/deadline.ts";
import { normalizeNfkc } from "../../base/text.ts";
import type { AgentLog } from "../tools/agent-log.ts";
import { listDocuments, readPassages, type DocumentFile, type ListLimits, type SkippedFile } from "./documents.ts";
import type { Passage } from "./passages.ts";
import { DocumentProblem, readPdf as readPdfHere, type ReadPdf } from "./read-pdf.ts";

export interface FoundPassage {
  readonly file: string;
  readonly passage: Passage;
  readonly score: number;
}

interface KnowledgeReport {
  readonly files: number;
  readonly passages: number;
  readonly skipped: readonly SkippedFile[];
  /** True while documents are being read: more passages may follow. */
  readonly isReading: boolean;
}

/** A folder of documents that can be searched. */
export interface KnowledgeIndex {
  /**
   * The best passages for a question. Looks for changed files first, unless it did so a moment ago. If that takes longer than
   * `longestWaitMs`, the search covers the passages known so far.
   */
  search(question: string, options: { limit: number }): Promise<readonly FoundPassage[]>;
  /** Reads changed files. Rejects when the folder cannot be read. */
  refresh(): Promise<void>;
  report(): KnowledgeReport;
}

export interface KnowledgeOptions extends Partial<ListLimits> {
  readonly folder: string;
  /** Bytes of all files together; further files are left out. */
  readonly maxTotalBytes?: number;
  /** Milliseconds for which the folder counts as unchanged. */
  readonly checkEveryMs?: number;
  /** Milliseconds that a search waits for documents to be read. */
  readonly longestWaitMs?: number;
  /** Default: in this thread, which blocks it. */
  readonly readPdf?: ReadPdf;
  /** Receives a warning for each file that is left out. */
  readonly log?: AgentLog;
  readonly now?: () => number;
}

interface StoredPassage {
  readonly id: number;
  readonly file: string;
  readonly heading: string;
  readonly text: string;
  readonly passage: Passage;
}

/** Ranks passages by BM25, with headings counted twice. Nothing is read before the first search or `refresh`. */
export function createKnowledgeIndex({
  folder,
  maxFiles = 2000,
  maxFileBytes = 10 * 1024 * 1024,
  maxTotalBytes = 64 * 1024 * 1024,
  checkEveryMs = 2000,
  longestWaitMs = 10_000,
  readPdf = readPdfHere,
  log,
  now = Date.now,
}: KnowledgeOptions): KnowledgeIndex {
  const search = createSearch();
  const indexed = new Map<string, { readonly version: string; readonly ids: readonly number[] }>();
  const passages = new Map<number, StoredPassage>();
  let skipped: readonly SkippedFile[] = [];
  let nextId = 1;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;

  const remove = (name: string) => {
    const ids = indexed.get(name)?.ids ?? [];
    search.discardAll(ids);
    for (const id of ids) passages.delete(id);
    indexed.delete(name);
  };

  const add = async ({ name, path, version }: DocumentFile): Promise<string | null> => {
    try {
      const { passages: read, missing } = await readPassages(path, { readPdf });
      const stored = read.map((passage) => toStored(nextId++, name, passage));
      // In small chunks, so that a large file does not block the event loop.
      await search.addAllAsync(stored, { chunkSize: 20 });
      for (const passage of stored) passages.set(passage.id, passage);
      indexed.set(name, { version, ids: stored.map(({ id }) => id) });
      return missing;
    } catch (error) {
      indexed.set(name, { version, ids: [] });
      return describeDocumentProblem(error);
    }
  };

  const update = async () => {
    const list = await listDocuments(folder, { maxFiles, maxFileBytes });
    const { kept, left } = withinTotal(list.files, maxTotalBytes);
    const names = new Set(kept.map(({ name }) => name));
    for (const name of indexed.keys()) if (!names.has(name)) remove(name);
    const problems = new Map(skipped.filter(({ name }) => names.has(name)).map(({ name, reason }) => [name, reason]));
    for (const file of kept) {
      if (indexed.get(file.name)?.version === file.version) continue;
      remove(file.name);
      problems.delete(file.name);
      const problem = await add(file);
      if (problem) problems.set(file.name, problem);
    }
    const found = [...list.skipped, ...left, ...[...problems].map(([name, reason]) => ({ name, reason }))];
    for (const { name, reason } of found) {
      if (skipped.some((known) => known.name === name && known.reason === reason)) continue;
      log?.warn({ file: name, reason }, "document not searched");
    }
    skipped = found;
    checkedAt = now();
  };

  const refresh = () => {
    running ??= update().finally(() => {
      running = null;
    });
    return running;
  };

  return {
    refresh,
    search: async (question, { limit }) => {
      if (running || now() - checkedAt >= checkEveryMs) await withTimeoutOrNull(refresh(), longestWaitMs);
      return search
        .search(question)
        .slice(0, limit)
        .flatMap(({ id, score }) => {
          const stored = passages.get(id as number);
          return stored ? [{ file: stored.file, passage: stored.passage, score }] : [];
        });
    },
    report: () => ({
      files: [...indexed.values()].filter(({ ids }) => ids.length > 0).length,
      passages: passages.size,
      skipped,
      isReading: running !== null,
    }),
  };
}

function describeDocumentProblem(error: unknown): string {
  if (error instanceof DocumentProblem) return error.message;
  // The message of a system error contains the path.
  const isSystemError = error instanceof Error && "syscall" in error;
  return isSystemError ? "it cannot be read" : "its content does not fit its file extension";
}

function createSearch(): MiniSearch<StoredPassage> {
  return new MiniSearch<StoredPassage>({
    fields: ["heading", "text"],
    tokenize: toTerms,
    processTerm: toTerm,
    searchOptions: {
      tokenize: toQueryTerms,
      boost: { heading: 2 },
      prefix: matchesPrefix,
      fuzzy: allowedTypos,
    },
  });
}

function toStored(id: number, file: string, passage: Passage): StoredPassage {
  return { id, file, heading: [file, ...passage.headings].join(" "), text: passage.text, passage };
}

function withinTotal(files: readonly DocumentFile[], maxTotalBytes: number) {
  let total = 0;
  const kept: DocumentFile[] = [];
  const left: SkippedFile[] = [];
  for (const file of files) {
    if (total + file.size > maxTotalBytes) left.push({ name: file.name, reason: "the folder is too large" });
    else {
      total += file.size;
      kept.push(file);
    }
  }
  return { kept, left };
}

const stopWords = new Set(
  `a about an and any are as at be but by can could did do does for from had has have how i if in is it its me my of on or
  our please should so that the their them then there these they this to was we were what when where which who why will
  with would you your`.split(/\s+/),
);
/** Scripts without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** The words of a text, in any script. */
export function toTerms(text: string): string[] {
  return toWords(text).flatMap((word) => (unspaced.test(word) ? [...termPairs(word), ...lastOf(word)] : [word]));
}

const toWords = (text: string) => normalizeNfkc(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** A word without case and accents. */
export function toTerm(word: string): string {
  const plain = word.toLowerCase().normalize("NFKD").replaceAll(/\p{M}/gu, "");
  return unspaced.test(plain) ? toCodePoints(plain) : plain;
}

const codePointMark = "%";
const digits = 5;

/**
 * Characters of an unspaced script as code points: the index scans all first letters it knows for every word, and these scripts have
 * thousands.
 */
function toCodePoints(text: string): string {
  const numbers = Array.from(text, (character) => character.codePointAt(0)?.toString(16).padStart(digits, "0"));
  return `${codePointMark}${numbers.join("")}`;
}

/** True when a term also matches words that begin with it: long terms, and single characters of an unspaced script. */
function matchesPrefix(term: string): boolean {
  return term.startsWith(codePointMark) ? term.length === codePointMark.length + digits : term.length > 3;
}

/** The fraction of a term's letters that may differ. */
function allowedTypos(term: string): number | false {
  return !term.startsWith(codePointMark) && term.length > 5 ? 0.2 : false;
}

/** The words of a question without stop words; all of them when nothing else is left. */
export function toQueryTerms(text: string): string[] {
  const terms = toWords(text).flatMap((word) => (unspaced.test(word) ? termPairs(word) : [word]));
  const content = terms.filter((term) => !stopWords.has(term.toLowerCase()));
  return content.length > 0 ? content : terms;
}

/** Without spaces, pairs of characters stand for words. */
function termPairs(text: string): string[] {
  const characters = [...text];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** The last character is a term of its own, so that every character begins a term and can be found alone. */
const lastOf = (text: string) => [...text].slice(1).slice(-1);
