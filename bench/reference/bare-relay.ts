import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";

/** Passes requests on to the model and its bytes back, unread: what standing in between costs at least. */

const endpoint = new URL(process.argv[2] ?? "");
const pool = new Pool(endpoint.origin, { connections: 256 });

const server = createServer((request, response) => {
  const path = endpoint.pathname + (request.url ?? "").replace(/^\/v1/, "");
  const headers = { "content-type": "application/json", "content-length": request.headers["content-length"] ?? "0" };
  pool
    .stream({ method: "POST", path, headers, body: request }, ({ statusCode, headers: answer }) => {
      response.writeHead(statusCode, { "content-type": String(answer["content-type"] ?? "application/json") });
      return response;
    })
    .catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
