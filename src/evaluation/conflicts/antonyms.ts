/** Words that contradict each other in replies of services: each line holds two sides, each side its forms. None is a negation: those are counted. */
const pairs = `
approve approved approves approval / reject rejected rejects rejection decline declined declines deny denied denies
accept accepted accepts / refuse refused refuses reject rejected rejects decline declined declines
allow allowed allows permitted / forbid forbidden forbids prohibited disallowed
open opened / close closed shut
opens / closes
available / unavailable
possible / impossible
enable enabled enables / disable disabled disables
include included includes / exclude excluded excludes
increase increased increases raise raised / decrease decreased decreases reduce reduced lower lowered
success successful successfully succeeded / failure failed failing unsuccessful unsuccessfully
start starts started begin begins began / end ends ended stop stops stopped
before / after
early earlier / late later
cheap cheaper / expensive
free / paid
full / empty
valid / invalid expired
active activated / inactive deactivated
correct right / incorrect wrong
true / false
safe / unsafe dangerous
legal / illegal
eligible / ineligible
more / less fewer
maximum most / minimum least
first / last
add added adds / remove removed removes
buy bought buys purchase purchased / sell sold sells
arrive arrived arrives arrival / depart departed departs departure
import imported / export exported
public / private
required mandatory / optional
refundable / nonrefundable
reversible / irreversible
online / offline
`;

/** word → the words that contradict it. */
export const antonyms: ReadonlyMap<string, ReadonlySet<string>> = buildAntonyms();

function buildAntonyms(): Map<string, Set<string>> {
  const table = new Map<string, Set<string>>();
  const add = (word: string, other: string) => table.set(word, (table.get(word) ?? new Set()).add(other));
  for (const line of pairs.trim().split("\n")) {
    const [left = "", right = ""] = line.split("/");
    for (const word of left.trim().split(" "))
      for (const other of right.trim().split(" ")) {
        add(word, other);
        add(other, word);
      }
  }
  return table;
}
