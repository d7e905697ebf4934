import { quoted } from "../../settings/settings-error.ts";
import { CliError } from "../cli-error.ts";

/** Refuses what no service can be asked at. */
export function checkAddress(option: "--server" | "--agent", address: string, example: string): void {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) throw new CliError(`${option} is ${quoted(address)}: use ${example}`);
  if (url.username === "" && url.password === "") return;
  // It would be taken for a service that does not answer: nothing is sent to such an address.
  throw new CliError(`${option} is ${quoted(address)}: leave out the user info, a key goes into REHEARSAL_API_KEY`);
}
