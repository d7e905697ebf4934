const wordsOf = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/u));

/** Words common in English and rare in other languages. */
const englishWords = wordsOf(
  `the is are you your you're yours to we we're it it's of and for have has had this that these those with can my our be been i'm i'll i've
  at please not don't hello sorry thank thanks much very great good they their them there here what which when who how why would could
  should does did but from about yes any some more now just all`,
);

/** Words common in other European languages and rare in English. */
const foreignWords = wordsOf(
  `der die das und nicht ein eine einen ich sie wir mit für auf dem den im ihr ihre ihnen wird sind war haben bitte zum zur von bei danke dank
  le la les des une est pas vous nous pour avec dans votre vos notre merci
  el los las una por para con su del está gracias il gli che non per è grazie uma não você obrigado
  het een niet van voor uw zijn det er ikke og på att och är inte tack jest nie się dziękuję`,
);

const letter = /\p{L}/u;
const plain = /^[\x20-\x7e]+$/u;

/** True when a text is probably English, by the number of typical words. */
export function isEnglish(words: readonly string[]): boolean {
  const lead = leadOf(words);
  if (lead !== 0) return lead > 0;
  // "Order 48213." has no typical word; a longer text without any is in another language.
  const spoken = words.filter((word) => letter.test(word) || plain.test(word));
  return spoken.length > 0 && spoken.length < 4 && spoken.every((word) => plain.test(word));
}

/** True when a text is clearly in another language. Some texts are neither English nor foreign by their words. */
export function isForeign(words: readonly string[]): boolean {
  const lead = leadOf(words);
  return lead < 0 || (lead === 0 && words.some((word) => letter.test(word) && !plain.test(word)));
}

/** English words minus foreign ones. */
function leadOf(words: readonly string[]): number {
  let lead = 0;
  for (const word of words) lead += englishWords.has(word) ? 1 : foreignWords.has(word) ? -1 : 0;
  return lead;
}
