import { setFlagsFromString } from "node:v8";

/**
 * On a machine with much memory V8 lets its old space grow fourfold before it collects, and makes objects there at once
 * where the same code has made long-lived ones. It also unrolls the loops of the HTTP client's parser, which is one function of
 * WebAssembly as large as a program, and needs 25 MB for a moment to compile it.
 */
export function holdMemory(): void {
  setFlagsFromString("--heap-growing-percent=20");
  setFlagsFromString("--no-allocation-site-pretenuring");
  setFlagsFromString("--no-wasm-loop-unrolling");
  setFlagsFromString("--no-wasm-loop-peeling");
}
