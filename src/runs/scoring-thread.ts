import { parentPort } from "node:worker_threads";
import { lexicalScores, type LexicalQuestion } from "../evaluation/scorers/lexical-scores.ts";

/** Runs in a thread of the scoring pool: takes one question at a time and sends its scores back. */
parentPort?.on("message", (question: LexicalQuestion) => parentPort?.postMessage(lexicalScores(question)));
