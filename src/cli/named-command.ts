const ownOptions: ReadonlySet<string> = new Set(["-h", "--help", "-V", "--version"]);

/** The command that is meant: a bare `rehearsal`, or one with options only, is `rehearsal serve`. */
export function namedCommand([first]: readonly string[]): string {
  return first === undefined || (first.startsWith("-") && !ownOptions.has(first)) ? "serve" : first;
}
