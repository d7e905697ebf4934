const integers = new Intl.NumberFormat("en");
const dates = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });
const time = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
const clock = new Intl.DateTimeFormat("en", time);
const daysOfYear = new Intl.DateTimeFormat("en", { ...time, month: "short", day: "numeric" });
const days = new Intl.DateTimeFormat("en", { ...time, month: "short", day: "numeric", year: "numeric" });
// Late on Monday is, early on Wednesday, a day ago and not yesterday: days are counted, not named.
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });

/** 0.8136 → "0.81"; nothing known → "–". A score that only rounds to 1 is not shown as perfect. */
export function formatScore(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const text = value.toFixed(2);
  if (value < 1 && text === "1.00") return "0.99+";
  if (value > 0 && text === "0.00") return "<0.01";
  return text;
}

/** What may be below 0, with a real minus sign. */
export const formatKappa = (value: number): string => `${value < 0 ? "−" : ""}${formatScore(Math.abs(value))}`;

/** 0.97 → "97 %". Never says 100 % or 0 % unless it is. */
export function formatPercent(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const percent = value * 100;
  const rounded = Math.round(percent);
  if (percent < 100 && rounded === 100) return ">99 %";
  if (percent > 0 && rounded === 0) return "<1 %";
  return `${rounded} %`;
}

export const formatInteger = (value: number): string => integers.format(value);

/** How many were counted: "n = 5,000". */
export const formatSample = (n: number): string => `n = ${integers.format(n)}`;

/** US dollars: two digits, more for small ones so that a price is not shown as nothing. */
export function formatMoney(dollars: number): string {
  if (dollars === 0) return "$0";
  if (dollars < 0.0001) return "<$0.0001";
  return `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`;
}

/** What was spent. Replies whose price is not known are not in it, and then it was at least this much. */
export const formatCost = ({ total, unpriced }: { total: number; unpriced: number }): string =>
  unpriced > 0 ? `≥ ${formatMoney(total)}` : formatMoney(total);

/** "1 turn", "3 turns". */
export const formatCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${integers.format(count)} ${count === 1 ? noun : plural}`;

/** 412 → "412 ms", 72_000 → "1 m 12 s". */
export function formatDuration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return "–";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} m`;
}

/** A duration that is only guessed, in whole seconds: 10_000 → "about 10 s". */
export const formatGuess = (milliseconds: number): string =>
  `about ${formatDuration(milliseconds).replace(".0 s", " s")}`;

export const formatDate = (iso: string): string => dates.format(new Date(iso));

/** When, in few letters, seen from `now`: "12:32:23" on the same day, else "Nov 16, 12:32:23", with the year where it is another one. */
export function formatMoment(iso: string, now: number): string {
  const [then, today] = [new Date(iso), new Date(now)];
  if (then.toDateString() === today.toDateString()) return clock.format(then);
  return (then.getFullYear() === today.getFullYear() ? daysOfYear : days).format(then);
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** "5 min. ago", seen from `now`. */
export function formatAgo(iso: string, now: number): string {
  const elapsed = now - Date.parse(iso);
  for (const [unit, length] of steps)
    if (elapsed >= length) return relative.format(-Math.floor(elapsed / length), unit);
  return "just now";
}

/** Why there is no interval, as the service says it: "none: one scenario only" → "one scenario only". */
export const formatNoInterval = (method: string): string => method.replace(/^none: /, "");

/** Any JSON value as short text: strings stay as they are. */
export const formatValue = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** Scores whose names are written in a way of their own. */
const ownSpelling: Readonly<Record<string, string>> = { rouge_l: "ROUGE-L", token_f1: "token F1", chrf: "chrF" };

/** `metadata.intent` → "intent label", `edit_similarity` → "edit similarity". */
export const scoreLabel = (name: string): string =>
  name.startsWith("metadata.")
    ? `${name.slice("metadata.".length)} label`
    : (ownSpelling[name] ?? name.replaceAll("_", " "));
