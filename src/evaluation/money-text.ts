const formats = new Map<number, Intl.NumberFormat>();

/** US dollars in the digits that matter, never as a power of ten. */
export function moneyText(dollars: number, digits = 2): string {
  // Made when it is asked for: a format takes time and memory, and most runs have no price.
  const format = formats.get(digits) ?? inDigits(digits);
  formats.set(digits, format);
  return format.format(dollars);
}

function inDigits(digits: number): Intl.NumberFormat {
  const rounded = { minimumSignificantDigits: digits, maximumSignificantDigits: digits };
  return new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", ...rounded });
}
