/** Ends the process on a Node that is too old, before anything else is evaluated: later errors would say nothing to a reader. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(`rehearsal needs Node 22.13 or newer; this is ${process.version} (https://nodejs.org/en/download)`);
  process.exit(78);
}

export {};
