import type { IncomingMessage, ServerResponse } from "node:http";
import type { Problem } from "../../../src/contract/errors/problem.ts";

export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks = await request.toArray();
  return JSON.parse(Buffer.concat(chunks as Buffer[]).toString("utf8"));
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

export function sendProblem(response: ServerResponse, problem: Problem): void {
  response.writeHead(problem.status, { "content-type": "application/problem+json" }).end(JSON.stringify(problem));
}
