import { loadOnce } from "../../base/load-once.ts";

/** Reads the sentiment of each sentence of an English text, -1..1. */
export type SentimentReader = (text: string) => readonly number[];

/** The lexicon takes about 0.2 s and 5 MB to load, so it is loaded once and only when a sentiment is asked for. */
export const loadSentimentReader = loadOnce(createReader);

async function createReader(): Promise<SentimentReader> {
  const [{ default: winkNLP }, { default: model }] = await Promise.all([
    import("wink-nlp"),
    import("wink-eng-lite-web-model"),
  ]);
  const { readDoc, its } = winkNLP(model, ["sbd", "negation", "sentiment"]);
  return (text) => readDoc(text).sentences().out(its.sentiment) as unknown as number[];
}
