/**
 * The file of a thread, by its name beside whoever starts it. It has the same extension: .ts in the repository, .js in the published
 * package. `scripts/bundle.mjs` looks for calls of this to know which files there must be.
 */
export function threadFile(name: string, starter: string): URL {
  return new URL(`./${name}${starter.endsWith(".ts") ? ".ts" : ".js"}`, starter);
}
