const inDigits = (digits: number) => {
  const rounded = { minimumSignificantDigits: digits, maximumSignificantDigits: digits };
  return new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", ...rounded });
};
const formats = { 2: inDigits(2), 3: inDigits(3) } as const;

/** US dollars in the digits that matter, never as a power of ten. */
export function moneyText(dollars: number, digits: keyof typeof formats = 2): string {
  return formats[digits].format(dollars);
}
