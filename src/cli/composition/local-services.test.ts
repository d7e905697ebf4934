import { expect, test } from "vitest";
import { evaluationAddress, pageOrigins, type LocalServices } from "./local-services.ts";

const listening = (port: number) => ({
  url: `http://127.0.0.1:${port}`,
  port,
  stopAccepting: async () => {},
  close: async () => {},
});
const local: LocalServices = { agent: listening(8000), evaluation: listening(8001), demo: null };
const exposed = { host: "0.0.0.0", evalPublicUrl: null };

test.each([
  ["192.0.2.7:8000", "http://192.0.2.7:8001"],
  ["rehearsal.lan:8000", "http://rehearsal.lan:8001"],
  ["[2001:db8::7]:8000", "http://[2001:db8::7]:8001"],
  ["localhost:8000", "http://localhost:8001"],
  ["a;script-src:8000", "http://127.0.0.1:8001"],
])("on all addresses, a page at %s finds the evaluation service at %s", (host, address) => {
  expect(evaluationAddress(host, local, exposed)).toBe(address);
});

test("on one address, the page uses that address", () => {
  const one = { host: "127.0.0.1", evalPublicUrl: null };
  expect(evaluationAddress("localhost:8000", local, one)).toBe("http://127.0.0.1:8001");
  expect(pageOrigins("rehearsal.lan:8001", local, one)).not.toContain("http://rehearsal.lan:8000");
});

test("the public URL outranks both", () => {
  const publicUrl = { host: "0.0.0.0", evalPublicUrl: "https://eval.example.com" };
  expect(evaluationAddress("rehearsal.example.com", local, publicUrl)).toBe("https://eval.example.com");
});

test("allows the page at the same host name, and none at another name or port", () => {
  const origins = pageOrigins("192.0.2.7:8001", local, exposed);
  expect(origins).toEqual(expect.arrayContaining(["http://192.0.2.7:8000", "http://localhost:8000"]));
  expect(origins).not.toContain("http://192.0.2.7:3000");
  expect(origins).not.toContain("http://192.0.2.8:8000");
});
