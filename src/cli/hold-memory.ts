import { setFlagsFromString } from "node:v8";

/**
 * On a machine with much memory V8 lets its old space grow fourfold before it collects, and makes objects there at once
 * where the same code has made long-lived ones. Half as much again is enough; with a fifth, 10 MB less would be held and a large
 * evaluation would cost a sixth more processor time. Its compilers want memory too, 50 MB at once in a young process: the loops of the
 * HTTP client's parser, one function of WebAssembly as large as a program, are not unrolled, and the quick compiler leaves it to the
 * thorough one to put functions into each other.
 */
export function holdMemory(): void {
  for (const flag of flags) setFlagsFromString(flag);
}

const flags = [
  "--heap-growing-percent=50",
  "--no-allocation-site-pretenuring",
  "--no-wasm-loop-unrolling",
  "--no-wasm-loop-peeling",
  "--no-maglev-inlining",
];
