import { isLoopback } from "../../settings/address.ts";

/** Whether an address is of this machine: a model that runs here has no list price. */
export function isThisMachine(address: string): boolean {
  return isLoopback(URL.parse(address)?.hostname ?? "");
}
