import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

interface Connection {
  latest: ServerResponse;
  unanswered: number;
}

/** Requests that a client may send on one connection before the first of them is answered. Browsers send one. */
const mostAhead = 10;

/** What is under way on each connection of a server. */
export class Connections {
  readonly #known = new WeakMap<Duplex, Connection>();
  readonly #onAnswered: () => void;

  /** `onAnswered` is called after each answer, also after one that was cut short. */
  constructor(onAnswered: () => void) {
    this.#onAnswered = onAnswered;
  }

  /**
   * Counts a request. False where too many on its connection are unanswered: one packet holds a thousand small ones, Node begins
   * all of them at once, and the answers for a client that reads none would wait in our memory.
   */
  begin(socket: Duplex, response: ServerResponse): boolean {
    const connection = this.#known.get(socket) ?? { latest: response, unanswered: 0 };
    this.#known.set(socket, connection);
    connection.latest = response;
    connection.unanswered += 1;
    response.once("close", () => {
      connection.unanswered -= 1;
      this.#onAnswered();
    });
    return connection.unanswered <= mostAhead;
  }

  /** An answer that has begun must not be followed by another one inside it. */
  isAnswering(socket: Duplex): boolean {
    const latest = this.#known.get(socket)?.latest;
    return latest !== undefined && latest.headersSent && !latest.writableFinished;
  }

  /** The client has asked, and has read all there is of the answer so far. */
  isWaitingForUs(socket: Duplex): boolean {
    const latest = this.#known.get(socket)?.latest;
    return latest !== undefined && !latest.writableFinished && socket.writableLength === 0;
  }
}
