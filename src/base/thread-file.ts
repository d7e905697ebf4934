/**
 * The URL of a worker thread's file, beside the module that starts it and with the same extension: .ts in the repository, .js in
 * the published package. `scripts/bundle.mjs` finds the files to bundle by the calls of this function.
 */
export function threadFile(name: string, starter: string): URL {
  return new URL(`./${name}${starter.endsWith(".ts") ? ".ts" : ".js"}`, starter);
}
