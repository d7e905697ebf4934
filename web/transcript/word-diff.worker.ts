import { wordDiff, type DiffPart } from "./word-diff.ts";

export interface DiffQuestion {
  readonly id: number;
  readonly reference: string;
  readonly reply: string;
}

export interface DiffAnswer {
  readonly id: number;
  readonly parts: DiffPart[] | null;
}

addEventListener("message", ({ data }: MessageEvent<DiffQuestion>) => {
  const answer: DiffAnswer = { id: data.id, parts: wordDiff(data.reference, data.reply) };
  postMessage(answer);
});
