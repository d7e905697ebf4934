import type { PreparedText } from "../../scoring/text/prepare-text.ts";

/**
 * Words that contradict each other in service replies: two sides per line, each with its forms. None is a negation; those are
 * counted separately. If one side denies, it is the second. A hyphen joins the words of a phrase, # stands for a number.
 */
const pairs = `
approve approved approves approval / reject rejected rejects rejection decline declined declines deny denied denies
accept accepted accepts / refuse refused refuses reject rejected rejects decline declined declines
allow allowed allows permitted / forbid forbidden forbids prohibited disallowed
open opened reopened / close closed shut
opens / closes shuts
available in-stock / unavailable out-of-stock sold-out
possible / impossible
enable enabled enables / disable disabled disables
include included includes including incl covered / exclude excluded excludes excluding excl sold-separately costs-extra
increase increased increases raise raised rise rises rose went-up will-rise / will-fall went-down decrease decreased decreases reduce reduced lower lowered
success successful successfully succeeded / failure failed failing unsuccessful unsuccessfully
start starts started begin begins began / end ends ended stop stops stopped
before / after
early earlier / late later delayed
on-time / late delayed
cheap cheaper / expensive
paid fee fees / free
full / empty
valid / invalid expired
active activated reactivated / inactive deactivated suspended blocked
correct right / incorrect wrong
true / false
safe / unsafe dangerous
legal / illegal
eligible / ineligible
more / less fewer
maximum most / minimum least
first / last
add added adds / remove removed removes
arrive arrived arrives arrival / depart departed departs departure
import imported / export exported
public / private
required mandatory / optional
refundable / nonrefundable
reversible / irreversible
online / offline in-person
passed / failed
renewed / cancelled canceled
positive / negative
locked / unlocked
connected / disconnected
subscribed / unsubscribed
installed / uninstalled
indoor indoors / outdoor outdoors
weekday weekdays / weekend weekends
daily / weekly monthly yearly annually
weekly / monthly yearly annually
monthly / yearly annually
in-the-morning / in-the-evening in-the-afternoon
turn-on turned-on turn-it-on switch-on switched-on switch-it-on is-on are-on / turn-off turned-off turn-it-off switch-off switched-off switch-it-off is-off are-off
turn-left on-the-left / turn-right on-the-right
at-the-front / at-the-back
over-# above-# / under-# below-#
at-least-# / at-most-# up-to-#
`;

/** Word → the words that contradict it. */
export const antonyms: ReadonlyMap<string, ReadonlySet<string>> = buildAntonyms();

/** Words that deny by themselves: the second sides. */
export const denyingWords: ReadonlySet<string> = new Set(sides().flatMap(([, right]) => right));

/** First word → the phrases that begin with it. */
const phrases = Map.groupBy(
  [...antonyms.keys()].filter((word) => word.includes("-")).map((phrase) => ({ phrase, parts: phrase.split("-") })),
  ({ parts }) => parts[0] ?? "",
);

const none: readonly never[] = [];

/** The words of a text and the phrases that have opposites. */
export function wordsAndPhrases({ counts, tokens, normalized }: PreparedText): ReadonlySet<string> {
  const words = new Set(counts.keys());
  tokens.forEach((token, place) => {
    for (const { phrase, parts } of phrases.get(token) ?? none)
      if (parts.every((part, index) => isPart(tokens[place + index], part))) words.add(phrase);
  });
  if (words.has("feel") && normalized.includes("feel free")) words.delete("free");
  // "Open until 5" means "closes at 5".
  if (words.has("open") && openUntil.test(normalized)) words.add("close").add("closes");
  return words;
}

function isPart(token: string | undefined, part: string): boolean {
  return part === "#" ? /^\d/.test(token ?? "") : token === part;
}

const openUntil = /\bopen (?:\S+ ){0,3}(?:until\b|till\b|to \d)/u;

function buildAntonyms(): Map<string, Set<string>> {
  const table = new Map<string, Set<string>>();
  const add = (word: string, other: string) => table.set(word, (table.get(word) ?? new Set()).add(other));
  for (const [left, right] of sides())
    for (const word of left)
      for (const other of right) {
        add(word, other);
        add(other, word);
      }
  return table;
}

function sides(): (readonly [left: string[], right: string[]])[] {
  return pairs
    .trim()
    .split("\n")
    .map((line) => {
      const [left = "", right = ""] = line.split("/");
      return [left.trim().split(" "), right.trim().split(" ")] as const;
    });
}
