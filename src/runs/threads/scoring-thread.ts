import { parentPort } from "node:worker_threads";
import { lexicalScores, type LexicalTask } from "../../scoring/scorers/scores.ts";

/** The thread of the scoring pool: answers one question at a time with its scores. */
parentPort?.on("message", (question: LexicalTask) => parentPort?.postMessage(lexicalScores(question)));
