const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether an address is of this machine: a model that runs here has no list price. */
export function isThisMachine(address: string): boolean {
  return loopback.test(URL.parse(address)?.hostname ?? "");
}
