import MiniSearch from "minisearch";
import { inTime } from "../../base/deadline.ts";
import { compatibleText } from "../../base/text.ts";
import type { AgentLog } from "../agent-log.ts";
import { DocumentProblem } from "./document-problem.ts";
import { listDocuments, type DocumentFile, type ListLimits, type SkippedFile } from "./list-documents.ts";
import type { Passage } from "./passage.ts";
import { readDocument } from "./read-document.ts";
import { readPdf as readPdfHere, type ReadPdf } from "./read-pdf.ts";

export interface FoundPassage {
  readonly file: string;
  readonly passage: Passage;
  readonly score: number;
}

interface KnowledgeReport {
  readonly files: number;
  readonly passages: number;
  readonly skipped: readonly SkippedFile[];
  /** Documents are being read at the moment: there may be more passages soon. */
  readonly isReading: boolean;
}

/** A folder of documents that can be searched. */
export interface KnowledgeIndex {
  /**
   * The best passages for a question. Looks for changed files first, unless it did so a moment ago; when that takes long, the
   * passages are those that are known so far.
   */
  search(question: string, options: { limit: number }): Promise<readonly FoundPassage[]>;
  /** Reads what has changed. Rejects when the folder cannot be read. */
  refresh(): Promise<void>;
  report(): KnowledgeReport;
}

export interface KnowledgeOptions extends Partial<ListLimits> {
  readonly folder: string;
  /** Bytes of all files together; what comes after is left out. */
  readonly maxTotalBytes?: number;
  /** How long the folder counts as unchanged, in milliseconds. */
  readonly checkEveryMs?: number;
  /** How long a search waits for documents to be read, in milliseconds. */
  readonly longestWaitMs?: number;
  /** Default: it is read here, and nothing else is done meanwhile. */
  readonly readPdf?: ReadPdf;
  /** Hears of each file that is left out. */
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

/** Ranks passages by BM25, headings counting double. Nothing is read before the first search or `refresh`. */
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
      const { passages: read, missing } = await readDocument(path, { readPdf });
      const stored = read.map((passage) => toStored(nextId++, name, passage));
      // In small steps, so that a large file does not hold up everything else.
      await search.addAllAsync(stored, { chunkSize: 20 });
      for (const passage of stored) passages.set(passage.id, passage);
      indexed.set(name, { version, ids: stored.map(({ id }) => id) });
      return missing;
    } catch (error) {
      indexed.set(name, { version, ids: [] });
      return describeProblem(error);
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
      if (running || now() - checkedAt >= checkEveryMs) await inTime(refresh(), longestWaitMs);
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

function describeProblem(error: unknown): string {
  if (error instanceof DocumentProblem) return error.message;
  // Of what the system says, nothing but that: it holds the path.
  const isSystemError = error instanceof Error && "syscall" in error;
  return isSystemError ? "it cannot be read" : "it cannot be read as what its name says";
}

function createSearch(): MiniSearch<StoredPassage> {
  return new MiniSearch<StoredPassage>({
    fields: ["heading", "text"],
    tokenize: toTerms,
    processTerm: toTerm,
    searchOptions: {
      tokenize: toQueryTerms,
      boost: { heading: 2 },
      prefix: matchesBeginning,
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

const fillers = new Set(
  `a about an and any are as at be but by can could did do does for from had has have how i if in is it its me my of on or
  our please should so that the their them then there these they this to was we were what when where which who why will
  with would you your`.split(/\s+/),
);
/** Scripts that write no spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** The words of a text, in any script. */
export function toTerms(text: string): string[] {
  return toWords(text).flatMap((word) => (unspaced.test(word) ? [...toPairs(word), ...lastOf(word)] : [word]));
}

const toWords = (text: string) => compatibleText(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** One form for all spellings of a word: no case, no accents. */
export function toTerm(word: string): string {
  const plain = word.toLowerCase().normalize("NFKD").replaceAll(/\p{M}/gu, "");
  return unspaced.test(plain) ? spell(plain) : plain;
}

const spelledSign = "%";
const digits = 5;

/**
 * Characters of such a script by their numbers: the index looks through all the first letters it knows for every word, and there are
 * thousands of these.
 */
function spell(text: string): string {
  const numbers = Array.from(text, (character) => character.codePointAt(0)?.toString(16).padStart(digits, "0"));
  return `${spelledSign}${numbers.join("")}`;
}

/** Whether words that only begin like a term match it too. One character of an unspaced script stands for what begins with it. */
function matchesBeginning(term: string): boolean {
  return term.startsWith(spelledSign) ? term.length === spelledSign.length + digits : term.length > 3;
}

/** The share of a term's letters that may be others. */
function allowedTypos(term: string): number | false {
  return !term.startsWith(spelledSign) && term.length > 5 ? 0.2 : false;
}

/** The words of a question that say what it is about; all of them when none does. */
export function toQueryTerms(text: string): string[] {
  const terms = toWords(text).flatMap((word) => (unspaced.test(word) ? toPairs(word) : [word]));
  const telling = terms.filter((term) => !fillers.has(term.toLowerCase()));
  return telling.length > 0 ? telling : terms;
}

/** Where words end depends on the sentence, so pairs of characters stand for them. */
function toPairs(text: string): string[] {
  const characters = [...text];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** The last one stands for itself too: then each character begins a term, and is found by itself. */
const lastOf = (text: string) => [...text].slice(1).slice(-1);
