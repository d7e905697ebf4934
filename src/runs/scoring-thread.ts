import { parentPort } from "node:worker_threads";
import { lexicalScores, type LexicalTask } from "../evaluation/scorers/built-in-scorers.ts";

/** Runs in a thread of the scoring pool: takes one question at a time and sends its scores back. */
parentPort?.on("message", (question: LexicalTask) => parentPort?.postMessage(lexicalScores(question)));
