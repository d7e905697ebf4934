import type { PageLimit } from "../../src/contract/schemas/service-info.ts";
import { formatDuration, formatInteger } from "../parts/format.ts";

const mebibyte = 1024 * 1024;

/** The name of a variable tells what it counts: 8388608 of REHEARSAL_MAX_BODY_BYTES is "8 MiB". */
export function formatLimit({ name, value }: PageLimit): string {
  if (name.endsWith("_MS")) return formatDuration(value);
  if (!name.endsWith("_BYTES")) return formatInteger(value);
  return value >= mebibyte ? `${round(value / mebibyte)} MiB` : `${round(value / 1024)} KiB`;
}

const round = (value: number): string => String(Math.round(value * 10) / 10);
