import { Socket } from "node:net";

/** The sockets of all connections to one server. */
export interface PostgresSockets {
  /** One for a new connection; `pg` connects it to the server it was told. */
  readonly open: () => Socket;
  /** Ends them all, whatever they wait for, and every later one too. */
  readonly cut: () => void;
}

/** A server that has fallen silent ends no connection by itself, and answers no goodbye: whoever stops cuts them. */
export function createSockets(): PostgresSockets {
  const sockets = new Set<Socket>();
  let isCut = false;

  return {
    open() {
      const socket = new Socket();
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      if (isCut) setImmediate(() => socket.destroy());
      return socket;
    },
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
