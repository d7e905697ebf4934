const question =
  /\b(?:what(?:'s|’s| is)? the (?:current |exact )?time|what time (?:is it|do we have)|current time|time is it|what(?:'s|’s| is) (?:today's|today’s|the) date|what (?:day|date) is (?:it|today))\b(?! (?:delivered|shipped|sent|due|for|limit|of)\b)/i;

const zones: Readonly<Record<string, string>> = {
  amsterdam: "Europe/Amsterdam",
  berlin: "Europe/Berlin",
  "hong kong": "Asia/Hong_Kong",
  london: "Europe/London",
  "los angeles": "America/Los_Angeles",
  madrid: "Europe/Madrid",
  mumbai: "Asia/Kolkata",
  "new york": "America/New_York",
  paris: "Europe/Paris",
  "san francisco": "America/Los_Angeles",
  singapore: "Asia/Singapore",
  sydney: "Australia/Sydney",
  tokyo: "Asia/Tokyo",
  utc: "UTC",
  zurich: "Europe/Zurich",
};

interface TimeQuestion {
  /** IANA name, when the user said a place we know. */
  readonly timezone: string | null;
}

/** Whether a user asks for the time or the date, and where; null when not. */
export function findTimeQuestion(text: string): TimeQuestion | null {
  if (!question.test(text)) return null;
  const named = /\b[A-Z][a-z]+\/[A-Z][A-Za-z_]+\b/.exec(text)?.[0];
  if (named !== undefined && isTimezone(named)) return { timezone: named };
  const place = Object.keys(zones).find((name) => new RegExp(String.raw`\b${name}\b`, "i").test(text));
  return { timezone: place === undefined ? null : (zones[place] ?? null) };
}

function isTimezone(name: string): boolean {
  try {
    Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
