// Loaded before a program that would listen on every address of the machine: lets it listen on loopback only.
import { Server } from "node:net";

const { listen } = Server.prototype;
Server.prototype.listen = function listenOnLoopback(first, ...rest) {
  const callback = rest.find((value) => typeof value === "function");
  const port = typeof first === "object" && first !== null ? first.port : first;
  const result = Reflect.apply(listen, this, [
    { port: Number(port), host: "127.0.0.1" },
    ...(callback ? [callback] : []),
  ]);
  // The bench waits for one line of JSON.
  this.once("listening", () => process.stdout.write("{}\n"));
  return result;
};
