import { moneyText } from "../../evaluation/format.ts";

/** `0:41`, `12:03`, `1:02:03`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number): string => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** US dollars; small amounts keep the digits that matter. */
export function spentText(dollars: number): string {
  return dollars >= 0.1 || dollars === 0 ? `$${dollars.toFixed(2)}` : moneyText(dollars);
}

export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
