/** Whether a text has a format, told in time that grows with its length. */
type TextFormat = (text: string) => boolean;

const date = /^(\d{4})-(\d\d)-(\d\d)$/;
const time = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;
const duration = /^P(?:\d+W|(?=[\dT])(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;
const mailbox = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const hostLabel = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
const escaped = /%[\da-f]{2}/gi;
const authority = String.raw`(?:[\w\-.~!$&'()*+,;=:]*@)?(?:\[(?<ipv6>[\da-f:.]+)\]|[\w\-.~!$&'()*+,;=]*)(?::\d*)?(?![^/?#])`;
const uri = new RegExp(
  String.raw`^[a-z][a-z\d+.-]*:(?://${authority}|(?!//))[\w\-.~!$&'()*+,;=:@/]*(?:\?[\w\-.~!$&'()*+,;=:@/?]*)?(?:#[\w\-.~!$&'()*+,;=:@/?]*)?$`,
  "i",
);

/**
 * The formats of JSON schema that are checked: dates and times as RFC 3339 has them, the others as their own standards do. What is
 * not among them is left unchecked, as the standard asks of names a validator does not know.
 */
export const textFormats: Readonly<Record<string, TextFormat>> = {
  date: isDate,
  time: isTime,
  "date-time": (text) => isDate(text.slice(0, 10)) && /^t/i.test(text.slice(10)) && isTime(text.slice(11)),
  duration: (text) => duration.test(text),
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => ipv4.test(text),
  ipv6: isIpv6,
  uri: isUri,
  uuid: (text) => uuid.test(text),
};

function isDate(text: string): boolean {
  const [, year, month, day] = (date.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  // Leap years come round every 400 years; before the year 100 a Date counts from 1900.
  const days = new Date(Date.UTC(2_000 + (year % 400), month, 0)).getUTCDate();
  return month >= 1 && month <= 12 && day >= 1 && day <= days;
}

function isTime(text: string): boolean {
  const found = time.exec(text);
  if (!found) return false;
  const [, hours, minutes, seconds, sign, awayHours = 0, awayMinutes = 0] = found;
  if (seconds !== "60") return true;
  // A leap second comes at the end of a day in UTC.
  const away = (Number(awayHours) * 60 + Number(awayMinutes)) * (sign === "-" ? -1 : 1);
  return (Number(hours) * 60 + Number(minutes) - away + 1) % (24 * 60) === 0;
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const host = text.slice(at + 1);
  return at > 0 && mailbox.test(text.slice(0, at)) && host.includes(".") && !host.endsWith(".") && isHostname(host);
}

function isHostname(text: string): boolean {
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  return name.length <= 253 && name.split(".").every((label) => hostLabel.test(label));
}

function isIpv6(text: string): boolean {
  return /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`);
}

function isUri(text: string): boolean {
  const found = uri.exec(text.replace(escaped, "x"));
  const address = found?.groups?.["ipv6"];
  return found !== null && (address === undefined || isIpv6(address));
}
