import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { createAnswers, toResponse, type Answers } from "./answers.ts";
import { behaviourOf, type Behaviour } from "./behaviour.ts";
import { readRequests, type RawRequest } from "./read-requests.ts";
import { stampNow, stampPlace } from "./stamp.ts";

/** An OpenAI-compatible model in a process of its own. Prints its address as one line of JSON when it listens. */

interface Address {
  readonly behaviour: Behaviour;
  readonly answers: Answers;
  calls: number;
  bytes: number;
}

const addresses = new Map<string, Address>();
const tooMany = toResponse("429 Too Many Requests", { error: { message: "slow down" } }, "retry-after: 0\r\n");
const broken = toResponse("500 Internal Server Error", { error: { message: "broken" } });
let answered = 0;

function addressOf(path: string): Address {
  const known = addresses.get(path);
  if (known) return known;
  const behaviour = behaviourOf(path);
  const address = { behaviour, answers: createAnswers(behaviour), calls: 0, bytes: 0 };
  addresses.set(path, address);
  return address;
}

function answer(socket: Socket, { path, body }: RawRequest): void {
  if (path === "/counts") return void socket.write(toResponse("200 OK", counts()));
  if (path.endsWith("/models")) return void socket.write(toResponse("200 OK", { data: [{ id: "fake" }] }));
  const address = addressOf(path);
  address.calls += 1;
  address.bytes += body.length;
  const { latencyMs } = address.behaviour;
  // The body is a view into the socket's buffer: what is needed of it is read before any wait.
  const send = chooseAnswer(address, body);
  if (latencyMs === 0) send(socket);
  else setTimeout(send, latencyMs, socket);
}

function chooseAnswer({ behaviour, answers, calls }: Address, body: Buffer): (socket: Socket) => void {
  const id = `chatcmpl-${String((answered += 1)).padStart(12, "0")}`;
  const { errors, tool, user } = behaviour;
  if (errors > 0 && (calls * errors) % 100 < errors) {
    const turn = Math.floor((calls * errors) / 100);
    return (socket) => socket.write(turn % 2 === 0 ? tooMany : broken);
  }
  if (user !== null) {
    const sent = body.toString("latin1").split('"role":"assistant"').length - 1;
    return (socket) => socket.write(answers.userMove(id, sent));
  }
  const asksForTool = tool !== null && body.lastIndexOf('"role":"tool"') < body.lastIndexOf('"role":"user"');
  if (asksForTool) return (socket) => socket.write(answers.toolCall(id));
  if (body.includes('"stream":true')) return (socket) => stream(socket, answers, id);
  return (socket) => socket.write(answers.reply(id));
}

/**
 * One event per turn of the event loop: a real model's tokens do not arrive together either. The first word comes with
 * the first byte and says when it was sent.
 */
function stream(socket: Socket, { events, streamHead }: Answers, id: string): void {
  const [role = "", firstWord = "", ...waiting] = events(id);
  socket.write(streamHead + role + firstWord.replace(stampPlace, stampNow()));
  const next = (): void => {
    const event = waiting.shift();
    if (event === undefined || socket.destroyed) return;
    socket.write(event);
    setImmediate(next);
  };
  setImmediate(next);
}

function counts(): Record<string, { calls: number; bytes: number }> {
  return Object.fromEntries(Array.from(addresses, ([path, { calls, bytes }]) => [path, { calls, bytes }]));
}

const server = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => socket.destroy());
  readRequests(socket, (request) => answer(socket, request));
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
