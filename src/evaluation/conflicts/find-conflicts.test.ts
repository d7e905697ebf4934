import { expect, test } from "vitest";
import { prepareText } from "../../scoring/text/prepare-text.ts";
import { findConflicts } from "./find-conflicts.ts";

const kinds = (reply: string, ...references: string[]) =>
  findConflicts(prepareText(reply), references.map(prepareText)).map(({ kind }) => kind);

test.each([
  ["Your refund is 30 dollars.", "Your refund is 25 dollars.", ["number"]],
  ["Your refund is €25.", "Your refund is $25.", ["number"]],
  ["Your parcel is 9400111899223197428491.", "Your parcel is 9400111899223197428490.", ["number"]],
  ["It arrives on Monday.", "It arrives on Friday.", ["date"]],
  ["It arrives on Mon.", "It arrives on Friday.", ["date"]],
  ["It arrives on Jan. 5.", "It arrives on Feb. 5.", ["date"]],
  ["We open at 9pm.", "We open at 9 a.m.", ["date"]],
  ["Your refund was rejected.", "Your refund was approved.", ["antonym"]],
  ["I cannot help you with that.", "I can help you with that.", ["negation"]],
  ["Your order does not ship on Monday.", "Your order ships on Monday.", ["negation"]],
  ["We don’t ship abroad.", "We ship abroad.", ["negation"]],
  ["We never ship on Sundays.", "We always ship on Sundays.", ["negation"]],
  ["I am unable to help you.", "I am able to help you.", ["negation"]],
  ["No, you cannot return it.", "Yes, you can return it.", ["antonym"]],
  ["No, you cannot return it.", "You can return it.", ["negation"]],
  ["Thanks for asking! Yes, it is free.", "No — it is not free.", ["antonym"]],
  ["Yes.", "No.", ["antonym"]],
  ["Rejected.", "Approved", ["antonym"]],
  ["It is open now and closes at 5.", "It is closed now.", ["antonym"]],
  ["You are ineligible.", "You are eligible.", ["antonym"]],
  ["Tickets are non-refundable.", "Tickets are refundable.", ["negation"]],
  ["It arrives on 3 June.", "It arrives on 3 May.", ["date"]],
  ["It arrives in May 2027.", "It arrives in April 2027.", ["date"]],
  ["**No**, it is not possible.", "Yes it is possible.", ["antonym"]],
  ["Your refund is 25 euros.", "Your refund is $25.", ["number"]],
  ["The total comes to USD 140.", "The total comes to 140 EUR.", ["number"]],
  ["The fee is 12 CAD.", "The fee is 12 US dollars.", ["number"]],
  ["The trial lasts 3 weeks.", "The trial lasts 3 days.", ["number"]],
  ["You get 20 % off.", "You get $20 off.", ["number"]],
  ["The lamp is out of stock.", "The lamp is in stock.", ["antonym"]],
  ["The tickets are sold out.", "The tickets are still available.", ["antonym"]],
  ["The price is 50 excl. VAT.", "The price is 50 including VAT.", ["antonym"]],
  ["Roaming is switched off.", "Roaming is switched on.", ["antonym"]],
  ["You must be under 18.", "You must be over 18.", ["antonym"]],
  ["Billing is monthly.", "Billing is yearly.", ["antonym"]],
  ["There is a booking fee.", "Booking is free.", ["antonym"]],
  ["It is free of gluten.", "It contains gluten.", ["negation"]],
])("%j contradicts %j: %j", (reply, reference, expected) => {
  expect(kinds(reply, reference)).toEqual(expected);
});

test.each([
  ["Your refund of $25 will arrive on Friday.", "Your refund of 25 dollars arrives on Friday."],
  ["No problem, your order ships today.", "Sure, your order ships today."],
  ["No, you cannot return it.", "You cannot return it."],
  ["No, it is not possible.", "Nope, it isn't possible."],
  ["Your order no. 48213 ships today.", "Your order 48213 ships today."],
  ["No. 5 leaves from here.", "Yes, it leaves from here."],
  ["No refunds are given on Mondays.", "Yes, we are open; refunds are not given on Mondays."],
  ["Don't worry, your order ships today.", "Your order ships today."],
  ["Your order ships today. Please do not hesitate to ask.", "Your order ships today."],
  ["Your order ships on September 3 at 9:00 AM.", "Your order ships on 3 Sept. at 9.00 a.m."],
  ["I am glad to say we open at nine.", "We open at 9 pm, I am glad to say."],
  ["The shop is not open today.", "The shop is closed today."],
  ["Your refund is on its way.", "Your refund of 25 dollars is on its way."],
  ["Your refund is $25 (about €23).", "Your refund is $25."],
  ["Ihre Erstattung: 12,50 €", "Ihre Erstattung beträgt 12,5 €"],
  ["Parcel 9400 1118 9922 3197 4284 90", "Parcel 9400 1118 9922 3197 4284 90 is on its way"],
  ["It is number 00123456789012345678.", "It is number +123,456,789,012,345,678."],
  ["Tickets are non-refundable.", "Tickets are not refundable."],
  ["No, you cannot.", "No."],
  ["No, sorry.", "No, you can't return it."],
  ["Yes.", "Yes, there is no fee."],
  ["The store opens at 9 and closes at 5.", "The store is open 9 to 5."],
  ["Departs at 9, arrives at 5.", "The arrival is at 5."],
  ["Up to 10 may be returned in June.", "Up to 10 can be returned in June."],
  ["It arrives on May 3rd.", "It arrives on the 3rd of May."],
  ["Bonjour", "Hello"],
  ["", "Your refund is 25 dollars."],
  ["Something else entirely, which is never about it.", "Your order ships on Monday."],
  ["Your refund is 25 USD.", "Your refund is 25 dollars."],
  ["The fee is CAD 30.", "The fee is $30."],
  ["It is €25 (about 27 dollars).", "It is 25 euros."],
  ["The turkey weighs 12 pounds.", "The turkey weighs 12 lb."],
  ["Delivery takes 3 business days.", "Delivery takes 3 days."],
  ["It isn't in stock right now.", "It is out of stock."],
  ["It is no longer out of stock.", "It is in stock again."],
  ["We close at 5.", "We are open until 5."],
  ["Delivery is free.", "There is no delivery fee."],
  ["Feel free to call; it is $5.", "The fee is $5."],
  ["You may not smoke on the balcony.", "Smoking is forbidden on the balcony."],
  ["The phone comes without a charger.", "The charger is not included."],
  ["Your order ships on Monday. If it does not arrive, call us.", "Your order ships on Monday."],
  ["You can return it within 30 days. After that, we cannot accept it.", "You can return it within 30 days."],
  ["You can buy gift cards here.", "We sell gift cards here."],
])("%j does not contradict %j", (reply, reference) => {
  expect(kinds(reply, reference)).toEqual([]);
});

test("a long number is shown with all its digits", () => {
  const [conflict] = findConflicts(prepareText("Code 123456789012345678"), [prepareText("Code 5")]);
  expect(conflict?.message).toBe("reply says 123456789012345678, reference says 5");
});

test.each([
  ["The lamp is out of stock.", "The lamp is in stock.", "reply says out of stock, reference says in stock"],
  ["You must be under 18.", "You must be over 18.", "reply says under, reference says over"],
  ["It is €5 or €6.", "It is $5 or $6.", "reply says €, reference says $"],
  ["The fee is 5 CAD.", "The fee is 5 USD.", "reply says CAD, reference says USD"],
  ["It takes 3 weeks.", "It takes 3 days.", "reply says 3 weeks, reference says 3 days"],
])("quotes the texts in a contradiction: %j against %j", (reply, reference, message) => {
  expect(findConflicts(prepareText(reply), [prepareText(reference)]).map((found) => found.message)).toEqual([message]);
});

test("compares with the most similar reference", () => {
  expect(kinds("It arrives on Monday.", "It arrives on Friday.", "It arrives on Monday morning.")).toEqual([]);
  expect(kinds("It arrives on Monday.")).toEqual([]);
});

test("examines at most a thousand references", () => {
  const others = Array.from({ length: 1_000 }, (_, index) => `Something else ${index}.`);
  expect(kinds("It arrives on Monday.", ...others.slice(1), "It arrives on Friday.")).toEqual(["date"]);
  expect(kinds("It arrives on Monday.", ...others, "It arrives on Friday.")).not.toContain("date");
});
