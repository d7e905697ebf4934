/** The words for dates, times, units and numbers in English, German, French and Spanish, and a few number words of other languages. */

const table = <Value>(entries: readonly (readonly [words: string, value: Value])[]): ReadonlyMap<string, Value> =>
  new Map(entries.flatMap(([words, value]) => words.split(" ").map((word) => [word, value] as const)));

/** Month → its number. "may" and "mar" mean a month only beside a day or a year. */
export const months = table<number>([
  ["january jan januar jänner janvier janv enero ene", 1],
  ["february feb februar février févr fév febrero", 2],
  ["march mar märz mär mrz mars marzo", 3],
  ["april apr avril avr abril abr", 4],
  ["may mai mayo", 5],
  ["june jun juni juin junio", 6],
  ["july jul juli juillet juil julio", 7],
  ["august aug août agosto ago", 8],
  ["september sept sep septembre septiembre", 9],
  ["october oct oktober okt octobre octubre", 10],
  ["november nov novembre noviembre", 11],
  ["december dec dezember dez décembre déc diciembre dic", 12],
]);

/** Weekday → 0 for Sunday. Short forms that are other words too are left out. */
export const weekdays = table<number>([
  ["sunday sundays sonntag sonntags dimanche domingo domingos", 0],
  ["monday mondays montag montags lundi lunes", 1],
  ["tuesday tuesdays dienstag dienstags mardi martes", 2],
  ["wednesday wednesdays mittwoch mittwochs mercredi miércoles", 3],
  ["thursday thursdays donnerstag donnerstags jeudi jueves", 4],
  ["friday fridays freitag freitags vendredi viernes", 5],
  ["saturday saturdays samstag samstags sonnabend samedi sábado sábados", 6],
]);

/** Days from today. German "morgen" and Spanish "mañana" also mean the morning, which is told by the word before. */
export const relativeDays = table<number>([
  ["tomorrow morgen demain mañana", 1],
  ["today heute aujourd hoy", 0],
  ["yesterday gestern hier ayer", -1],
  ["übermorgen", 2],
  ["vorgestern anteayer", -2],
]);

/** Words before "morgen" and "mañana" that make them the morning. */
export const morningWords: ReadonlySet<string> = new Set([
  "am",
  "guten",
  "jeden",
  "la",
  "esta",
  "cada",
  "heute",
  "gestern",
]);

export const timesOfDay = table<number>([
  ["noon midday mittag mittags midi mediodía", 12 * 60],
  ["midnight mitternacht minuit medianoche", 0],
]);

/** A unit: what it measures, and its size in the base unit of that. */
export interface Unit {
  readonly of: string;
  readonly size: number;
}

const unit = (of: string, size = 1): Unit => ({ of, size });

export const units = table<Unit>([
  ["second seconds sec secs sekunde sekunden sek seconde secondes segundo segundos", unit("time", 1 / 60)],
  ["minute minutes min mins minuten minuto minutos", unit("time")],
  ["hour hours hr hrs h stunde stunden std heure heures hora horas", unit("time", 60)],
  [
    "day days tag tage tagen jour jours día días dias night nights nacht nächte nächten nuit nuits noche noches werktag werktage werktagen arbeitstag arbeitstage arbeitstagen",
    unit("time", 1440),
  ],
  ["week weeks woche wochen semaine semaines semana semanas", unit("time", 10_080)],
  ["month months monat monate monaten mois mes meses", unit("month")],
  ["year years jahr jahre jahren an ans année années año años", unit("month", 12)],
  [
    "km kilometer kilometers kilometre kilometres kilometern kilomètre kilomètres kilómetro kilómetros",
    unit("length", 1000),
  ],
  ["m meter meters metre metres metern mètre mètres metro metros", unit("length")],
  ["cm centimeter centimeters zentimeter centimètre centimètres centímetro centímetros", unit("length", 0.01)],
  ["mm millimeter millimeters", unit("length", 0.001)],
  ["mile miles meile meilen milla millas", unit("mile")],
  ["inch inches zoll pouce pouces pulgada pulgadas", unit("inch")],
  ["kg kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramo kilogramos", unit("weight", 1000)],
  ["g gram grams gramm gramme grammes gramo gramos", unit("weight")],
  ["lb lbs pound pounds pfund", unit("pound")],
  ["kb", unit("bytes", 1e3)],
  ["mb", unit("bytes", 1e6)],
  ["gb", unit("bytes", 1e9)],
  ["tb", unit("bytes", 1e12)],
  ["l liter liters litre litres litern litro litros", unit("volume")],
  ["percent prozent pourcent porciento pct", unit("percent")],
]);

/** Words between a number and its unit. */
export const unitAdjectives: ReadonlySet<string> = new Set(
  "business working calendar full more additional full-time volle vollen ganze weitere jours".split(" "),
);

/** Currency → its code. The dollar's sign stands for several. */
export const currencies = table<string>([
  ["usd us$", "USD"],
  ["$ dollar dollars dólar dólares", "$"],
  ["cad", "CAD"],
  ["aud", "AUD"],
  ["nzd", "NZD"],
  ["€ eur euro euros", "EUR"],
  ["£ gbp sterling", "GBP"],
  ["¥ jpy yen", "JPY"],
  ["cny rmb yuan 元", "CNY"],
  ["₹ inr rupee rupees", "INR"],
  ["chf franken francs", "CHF"],
  ["brl reais", "BRL"],
  ["sek", "SEK"],
  ["nok", "NOK"],
  ["dkk", "DKK"],
  ["pln zł złoty", "PLN"],
  ["mxn peso pesos", "MXN"],
  ["₽ rub рублей рубля руб", "RUB"],
  ["₩ krw won", "KRW"],
]);

/** The dollar's own codes: a text that says "$" may mean any of them. */
export const dollars: ReadonlySet<string> = new Set(["USD", "CAD", "AUD", "NZD"]);

export const multipliers = table<number>([
  ["k thousand thousands tausend tsd mille mil mila duizend тыс тысяч 千", 1e3],
  ["万 萬", 1e4],
  ["lakh lakhs", 1e5],
  ["million millions mio mn millionen millón millones milhão milhões milioni miljoen млн", 1e6],
  ["crore crores", 1e7],
  ["億 亿 억", 1e8],
  ["billion billions bn mrd milliarde milliarden milliard milliards млрд", 1e9],
]);

/** Words that say that a number is rounded. */
export const approximately: ReadonlySet<string> = new Set(
  "about around approximately approx roughly nearly almost over under some circa ca rund etwa ungefähr knapp über fast environ presque près autour unos unas aproximadamente casi cerca ~ ≈".split(
    " ",
  ),
);

/** Words beside a number or a date that was computed. */
export const computedWords: ReadonlySet<string> = new Set(
  (
    "total totals totaling totalling sum difference remaining remainder remains balance left refund refunded refunds additional extra more less save saves saved saving savings " +
    "both all combined together overall altogether increase decrease reduced due duration long takes average half double half-price amount amounts covers covered cover " +
    "within until later earlier after deadline expires expire ends " +
    "gesamt gesamtpreis gesamtbetrag gesamtkosten summe insgesamt differenz rest restbetrag restlichen übrig verbleibend verbleibende erstattung rückerstattung zusätzlich mehr weniger ersparnis sparen beide zusammen dauer dauert betrag innerhalb spätestens " +
    "totale somme différence reste restant solde remboursement supplément supplémentaire économie ensemble durée montant " +
    "suma diferencia resto restante saldo reembolso adicional ahorro juntos duración importe monto dentro después = + × *"
  ).split(" "),
);

/** Words before a small number that only count what the reply itself lists. */
export const countedLabels: ReadonlySet<string> = new Set(
  "option options step steps choice alternative part stage section item passenger segment leg schritt variante möglichkeit punkt teil étape partie choix opción paso parte alternativa".split(
    " ",
  ),
);

const english =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const englishTens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const german =
  "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn".split(
    " ",
  );
const germanTens = ["zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"];
const french =
  "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf".split(
    " ",
  );
const frenchTens = ["vingt", "trente", "quarante", "cinquante", "soixante"];
const spanish =
  "cero un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve".split(
    " ",
  );
const spanishTens = ["treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"];

/** Number word → its value, up to a hundred. Hyphens are part of the word: `twenty-five`. */
export const numberWords: ReadonlyMap<string, number> = new Map([
  ...[english, german, french, spanish].flatMap((words) => words.map((word, value) => [word, value] as const)),
  ...englishTens.flatMap((ten, index) => withOnes(ten, (index + 2) * 10, (one) => `${ten}-${english[one] ?? ""}`)),
  ...germanTens.flatMap((ten, index) => withOnes(ten, (index + 2) * 10, (one) => `${german[one] ?? ""}und${ten}`)),
  ...frenchTens.flatMap((ten, index) => withOnes(ten, (index + 2) * 10, (one) => `${ten}-${french[one] ?? ""}`)),
  ...spanishTens.map((ten, index) => [ten, (index + 3) * 10] as const),
  ["hundred", 100],
  ["hundert", 100],
  ["einhundert", 100],
  ["cent", 100],
  ["cien", 100],
  ["eine", 1],
  ["einen", 1],
  ["einer", 1],
  ["une", 1],
  ["uno", 1],
  ["una", 1],
  ["dozen", 12],
  ["dreissig", 30],
]);

function withOnes(ten: string, value: number, named: (one: number) => string): (readonly [string, number])[] {
  const ones = Array.from({ length: 9 }, (_, index) => [named(index + 1), value + index + 1] as const);
  return [[ten, value], ...ones];
}

const known: ReadonlySet<string> = new Set(
  [months, weekdays, relativeDays, timesOfDay, numberWords].flatMap((words) => [...words.keys()]),
);

/** True for a word with which a date, a time or a number may begin. */
export const isVocabulary = (word: string): boolean => known.has(word);
