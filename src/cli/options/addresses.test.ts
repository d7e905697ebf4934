import { expect, test } from "vitest";
import { requireServiceAddress } from "./addresses.ts";

const refusal = (address: string) => {
  try {
    requireServiceAddress("--server", address, "an address like http://127.0.0.1:8001");
  } catch (error) {
    return (error as Error).message;
  }
  return null;
};

test.each([
  ["127.0.0.1:8001", '--server is "127.0.0.1:8001": use an address like http://127.0.0.1:8001'],
  ["ftp://me:hunter2@host/", '--server is "ftp://[redacted]@host/": use an address like http://127.0.0.1:8001'],
  [
    "http://me:hunter2@host",
    '--server is "http://[redacted]@host": leave out the user info and set REHEARSAL_API_KEY instead',
  ],
  ["https://eval.example.com/base", null],
])("accepts or refuses %s", (address, message) => {
  expect(refusal(address)).toBe(message);
});
