// The airline of tau-bench as a module world: its 14 tools, written from their behaviour in the recorded conversations. The starting
// state is read from the folder that the variable TAU_BENCH_AIRLINE names.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorldModule } from "../../src/contract/ports/world-module.ts";

type Cabin = "basic_economy" | "economy" | "business";

interface FlightOnDate {
  status: string;
  available_seats?: Record<Cabin, number>;
  prices?: Record<Cabin, number>;
}

interface Flight {
  flight_number: string;
  origin: string;
  destination: string;
  scheduled_departure_time_est: string;
  scheduled_arrival_time_est: string;
  dates: Record<string, FlightOnDate>;
}

interface Segment {
  flight_number: string;
  date: string;
  price: number;
  origin: string;
  destination: string;
}

interface Payment {
  payment_id: string;
  amount: number;
}

interface Passenger {
  first_name: string;
  last_name: string;
  dob: string;
}

interface Reservation {
  reservation_id: string;
  user_id: string;
  origin: string;
  destination: string;
  flight_type: string;
  cabin: Cabin;
  flights: Segment[];
  passengers: Passenger[];
  payment_history: Payment[];
  created_at: string;
  total_baggages: number;
  nonfree_baggages: number;
  insurance: string;
  status?: string;
}

interface PaymentMethod {
  id: string;
  source: "credit_card" | "gift_card" | "certificate";
  amount: number;
}

interface User {
  payment_methods: Record<string, PaymentMethod>;
  reservations: string[];
}

interface Airline {
  flights: Record<string, Flight>;
  reservations: Record<string, Reservation>;
  users: Record<string, User>;
}

export function state(): Airline {
  const folder = process.env["TAU_BENCH_AIRLINE"];
  if (folder === undefined) throw new Error("TAU_BENCH_AIRLINE must name the folder with flights.json");
  const read = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  return { flights: read("flights"), reservations: read("reservations"), users: read("users") };
}

const now = "2024-05-15T15:00:00";
const bagPrice = 50;
const insurancePrice = 30;

const userIn = ({ users }: Airline, id: string): User => found(users, id, "user not found");
const reservationIn = ({ reservations }: Airline, id: string): Reservation =>
  found(reservations, id, "reservation not found");

function found<Value>(values: Record<string, Value>, id: string, message: string): Value {
  const value = Object.hasOwn(values, id) ? values[id] : undefined;
  if (value === undefined) throw new Error(message);
  return value;
}

/** A segment at the current price, if there are seats for all passengers. */
function book({ flights }: Airline, { flight_number, date }: Segment, cabin: Cabin, passengers: number): Segment {
  const flight = found(flights, flight_number, `flight ${flight_number} not found`);
  const onDate = found(flight.dates, date, `flight ${flight_number} not found on date ${date}`);
  if (onDate.status !== "available" || !onDate.available_seats || !onDate.prices)
    throw new Error(`flight ${flight_number} not available on date ${date}`);
  if (onDate.available_seats[cabin] < passengers) throw new Error(`not enough seats on flight ${flight_number}`);
  const { origin, destination } = flight;
  return { flight_number, date, price: onDate.prices[cabin], origin, destination };
}

/** Pays for a change of a reservation; a negative amount is refunded. */
function payForChange(airline: Airline, reservation: Reservation, { payment_id, amount }: Payment): void {
  const { payment_methods } = userIn(airline, reservation.user_id);
  const method = found(payment_methods, payment_id, "payment method not found");
  if (method.source === "certificate") throw new Error("certificate cannot be used to update reservation");
  if (method.source === "gift_card" && method.amount < amount) throw new Error("gift card balance is not enough");
  if (amount === 0) return;
  if (method.source === "gift_card") method.amount -= amount;
  reservation.payment_history.push({ payment_id, amount });
}

interface Booking extends Omit<Reservation, "reservation_id" | "payment_history" | "created_at" | "status"> {
  payment_methods: Payment[];
}

function bookReservation({ payment_methods: payments, ...booking }: Booking, airline: Airline): Reservation {
  const user = userIn(airline, booking.user_id);
  const count = booking.passengers.length;
  const flights = booking.flights.map((flight) => book(airline, flight, booking.cabin, count));
  const price =
    flights.reduce((sum, flight) => sum + flight.price * count, 0) +
    (booking.insurance === "yes" ? insurancePrice * count : 0) +
    bagPrice * booking.nonfree_baggages;
  for (const { payment_id, amount } of payments) {
    const method = found(user.payment_methods, payment_id, `payment method ${payment_id} not found`);
    if (method.source !== "credit_card" && method.amount < amount)
      throw new Error(`not enough balance in payment method ${payment_id}`);
  }
  const paid = payments.reduce((sum, { amount }) => sum + amount, 0);
  if (paid !== price) throw new Error(`payment amount does not add up, total price is ${price}, but paid ${paid}`);

  for (const { payment_id, amount } of payments) {
    const method = user.payment_methods[payment_id];
    if (method?.source === "gift_card") method.amount -= amount;
    else if (method?.source === "certificate") delete user.payment_methods[payment_id];
  }
  const reservation_id = ["HATHAT", "HATHAU", "HATHAV"].find((id) => !Object.hasOwn(airline.reservations, id));
  if (reservation_id === undefined) throw new Error("no reservation id is left");
  const reservation = { reservation_id, ...booking, flights, payment_history: payments, created_at: now };
  airline.reservations[reservation_id] = reservation;
  user.reservations.push(reservation_id);
  return reservation;
}

interface FlightChange {
  reservation_id: string;
  cabin: Cabin;
  flights: Segment[];
  payment_id: string;
}

/** Segments that stay in the same cabin keep their price. As in the recorded conversations, the reservation keeps its cabin. */
function updateFlights({ reservation_id, cabin, flights, payment_id }: FlightChange, airline: Airline): Reservation {
  const reservation = reservationIn(airline, reservation_id);
  const count = reservation.passengers.length;
  const kept = (flight: Segment) =>
    reservation.cabin === cabin
      ? reservation.flights.find(
          ({ flight_number, date }) => flight_number === flight.flight_number && date === flight.date,
        )
      : undefined;
  const segments = flights.map((flight) => kept(flight) ?? book(airline, flight, cabin, count));
  const priceOf = (all: readonly Segment[]) => all.reduce((sum, { price }) => sum + price * count, 0);
  payForChange(airline, reservation, { payment_id, amount: priceOf(segments) - priceOf(reservation.flights) });
  reservation.flights = segments;
  return reservation;
}

interface BaggageChange {
  reservation_id: string;
  total_baggages: number;
  nonfree_baggages: number;
  payment_id: string;
}

function updateBaggages(change: BaggageChange, airline: Airline): Reservation {
  const { reservation_id, total_baggages, nonfree_baggages, payment_id } = change;
  const reservation = reservationIn(airline, reservation_id);
  const amount = bagPrice * Math.max(0, nonfree_baggages - reservation.nonfree_baggages);
  payForChange(airline, reservation, { payment_id, amount });
  reservation.total_baggages = total_baggages;
  reservation.nonfree_baggages = nonfree_baggages;
  return reservation;
}

function updatePassengers(
  { reservation_id, passengers }: Pick<Reservation, "reservation_id" | "passengers">,
  airline: Airline,
): Reservation {
  const reservation = reservationIn(airline, reservation_id);
  if (passengers.length !== reservation.passengers.length) throw new Error("number of passengers does not match");
  reservation.passengers = passengers;
  return reservation;
}

function cancelReservation({ reservation_id }: { reservation_id: string }, airline: Airline): Reservation {
  const reservation = reservationIn(airline, reservation_id);
  const refunds = reservation.payment_history.map(({ payment_id, amount }) => ({ payment_id, amount: -amount }));
  reservation.payment_history.push(...refunds);
  reservation.status = "cancelled";
  return reservation;
}

function sendCertificate({ user_id, amount }: { user_id: string; amount: number }, airline: Airline): string {
  const { payment_methods } = userIn(airline, user_id);
  const id = [3221322, 3221323, 3221324]
    .map((number) => `certificate_${number}`)
    .find((name) => !Object.hasOwn(payment_methods, name));
  if (id === undefined) throw new Error("no certificate is left");
  payment_methods[id] = { source: "certificate", amount, id };
  return `Certificate ${id} added to user ${user_id} with amount ${amount}.`;
}

interface Route {
  origin: string;
  destination: string;
  date: string;
}

type Offer = Omit<Flight, "dates"> & FlightOnDate & { date?: string };

/** The flights of a route that can be booked on a date. */
function available({ flights }: Airline, isWanted: (flight: Flight) => boolean, date: string): Offer[] {
  return Object.values(flights).flatMap(({ dates, ...flight }) => {
    const onDate = dates[date];
    return isWanted({ dates, ...flight }) && onDate?.status === "available" ? [{ ...flight, ...onDate }] : [];
  });
}

function searchOneStop({ origin, destination, date }: Route, airline: Airline): Offer[][] {
  const firsts = Object.values(airline.flights).filter((flight) => flight.origin === origin);
  return firsts.flatMap((first) => {
    const arrival = first.scheduled_arrival_time_est;
    const [leg] = available(airline, (flight) => flight.flight_number === first.flight_number, date);
    if (!leg) return [];
    const connects = (flight: Flight) => flight.origin === first.destination && flight.destination === destination;
    const later = arrival.includes("+1") ? nextDay(date) : date;
    // As in the recorded conversations, seats and prices of the second flight are those of the first day.
    return available(airline, connects, date)
      .filter((second) => arrival <= second.scheduled_departure_time_est)
      .map((second) => [
        { ...leg, date },
        { ...second, date: later },
      ]);
  });
}

function nextDay(date: string): string {
  return new Date(Date.parse(date) + 24 * 60 * 60 * 1_000).toISOString().slice(0, 10);
}

/** Digits, + - * / and brackets, as Python would print the result. */
function calculate({ expression }: { expression: string }): string {
  if (!/^[\d+\-*/(). ]*$/.test(expression)) throw new Error("invalid characters in expression");
  const rest = expression.match(/\d+\.?\d*|\.\d+|[-+*/()]/g) ?? [];
  const take = (...signs: string[]) => (signs.includes(rest[0] ?? "") ? rest.shift() : undefined);
  function sum(): number {
    let value = product();
    for (let sign = take("+", "-"); sign; sign = take("+", "-")) value += sign === "+" ? product() : -product();
    return value;
  }
  function product(): number {
    let value = factor();
    for (let sign = take("*", "/"); sign; sign = take("*", "/"))
      value = sign === "*" ? value * factor() : value / factor();
    return value;
  }
  function factor(): number {
    if (take("-")) return -factor();
    if (take("+")) return factor();
    if (!take("(")) return Number(rest.shift());
    const value = sum();
    if (!take(")")) throw new Error("invalid syntax");
    return value;
  }
  const value = Math.round(sum() * 100) / 100;
  if (rest.length > 0 || !Number.isFinite(value)) throw new Error("invalid syntax");
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

const airports = {
  SFO: "San Francisco",
  JFK: "New York",
  LAX: "Los Angeles",
  ORD: "Chicago",
  DFW: "Dallas",
  DEN: "Denver",
  SEA: "Seattle",
  ATL: "Atlanta",
  MIA: "Miami",
  BOS: "Boston",
  PHX: "Phoenix",
  IAH: "Houston",
  LAS: "Las Vegas",
  MCO: "Orlando",
  EWR: "Newark",
  CLT: "Charlotte",
  MSP: "Minneapolis",
  DTW: "Detroit",
  PHL: "Philadelphia",
  LGA: "LaGuardia",
};

const text = { type: "string" };
const number = { type: "number" };
const listOf = (properties: Record<string, object>) => ({ type: "array", items: objectOf(properties) });
const objectOf = (properties: Record<string, object>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});

const segments = listOf({ flight_number: text, date: text });
const people = listOf({ first_name: text, last_name: text, dob: text });
const payments = listOf({ payment_id: text, amount: number });
const cabin = { type: "string", enum: ["basic_economy", "economy", "business"] };
const route = objectOf({ origin: text, destination: text, date: text });

export const tools: WorldModule<Airline>["tools"] = {
  book_reservation: {
    description: "Books a reservation.",
    parameters: objectOf({
      user_id: text,
      origin: text,
      destination: text,
      flight_type: { type: "string", enum: ["one_way", "round_trip"] },
      cabin,
      flights: segments,
      passengers: people,
      payment_methods: payments,
      total_baggages: number,
      nonfree_baggages: number,
      insurance: { type: "string", enum: ["yes", "no"] },
    }),
    run: bookReservation,
  },
  calculate: {
    description: "Calculates an expression of numbers, + - * / and brackets.",
    parameters: objectOf({ expression: text }),
    run: calculate,
  },
  cancel_reservation: {
    description: "Cancels a whole reservation.",
    parameters: objectOf({ reservation_id: text }),
    run: cancelReservation,
  },
  get_reservation_details: {
    description: "Shows a reservation.",
    parameters: objectOf({ reservation_id: text }),
    run: ({ reservation_id }, airline) => reservationIn(airline, reservation_id),
  },
  get_user_details: {
    description: "Shows a user with payment methods and reservations.",
    parameters: objectOf({ user_id: text }),
    run: ({ user_id }, airline) => userIn(airline, user_id),
  },
  list_all_airports: {
    description: "Lists the airports with their cities.",
    parameters: objectOf({}),
    run: () => airports,
  },
  search_direct_flight: {
    description: "Finds direct flights on a date.",
    parameters: route,
    run: ({ origin, destination, date }: Route, airline) =>
      available(airline, (flight) => flight.origin === origin && flight.destination === destination, date),
  },
  search_onestop_flight: {
    description: "Finds flights with one stop on a date.",
    parameters: route,
    run: searchOneStop,
  },
  send_certificate: {
    description: "Gives a user a certificate.",
    parameters: objectOf({ user_id: text, amount: number }),
    run: sendCertificate,
  },
  think: { description: "Notes a thought.", parameters: objectOf({ thought: text }), run: () => "" },
  transfer_to_human_agents: {
    description: "Hands the user over to a human agent.",
    parameters: objectOf({ summary: text }),
    run: () => "Transfer successful",
  },
  update_reservation_baggages: {
    description: "Changes the bags of a reservation.",
    parameters: objectOf({ reservation_id: text, total_baggages: number, nonfree_baggages: number, payment_id: text }),
    run: updateBaggages,
  },
  update_reservation_flights: {
    description: "Changes the flights or the cabin of a reservation. All its segments must be given.",
    parameters: objectOf({ reservation_id: text, cabin, flights: segments, payment_id: text }),
    run: updateFlights,
  },
  update_reservation_passengers: {
    description: "Changes the passengers of a reservation.",
    parameters: objectOf({ reservation_id: text, passengers: people }),
    run: updatePassengers,
  },
};
