import { expect, test } from "vitest";
import { evaluationAddress, pageOrigins } from "./page-addresses.ts";
import type { Served } from "./served.ts";

const listening = (port: number) => ({ url: `http://127.0.0.1:${port}`, port, close: async () => {} });
const served: Served = { agent: listening(8000), evaluation: listening(8001), demo: null };
const exposed = { host: "0.0.0.0", evalPublicUrl: null };

test.each([
  ["192.0.2.7:8000", "http://192.0.2.7:8001"],
  ["rehearsal.lan:8000", "http://rehearsal.lan:8001"],
  ["[2001:db8::7]:8000", "http://[2001:db8::7]:8001"],
  ["localhost:8000", "http://localhost:8001"],
  ["a;script-src:8000", "http://127.0.0.1:8001"],
])("where we listen on every address, the page called at %s finds the evaluation service at %s", (host, address) => {
  expect(evaluationAddress(host, served, exposed)).toBe(address);
});

test("where we listen on one address, that is where the page looks", () => {
  const one = { host: "127.0.0.1", evalPublicUrl: null };
  expect(evaluationAddress("localhost:8000", served, one)).toBe("http://127.0.0.1:8001");
  expect(pageOrigins("rehearsal.lan:8001", served, one)).not.toContain("http://rehearsal.lan:8000");
});

test("the operator's address for browsers outranks both", () => {
  const told = { host: "0.0.0.0", evalPublicUrl: "https://eval.example.com" };
  expect(evaluationAddress("rehearsal.example.com", served, told)).toBe("https://eval.example.com");
});

test("the page at the same name may call the evaluation service, one at another name or port may not", () => {
  const origins = pageOrigins("192.0.2.7:8001", served, exposed);
  expect(origins).toEqual(expect.arrayContaining(["http://192.0.2.7:8000", "http://localhost:8000"]));
  expect(origins).not.toContain("http://192.0.2.7:3000");
  expect(origins).not.toContain("http://192.0.2.8:8000");
});
