// Loaded into a service with --import: stands still for ever while it reads a reply that holds the marker.
const { parse } = JSON;
const marker = "block the event loop";

JSON.parse = (text, ...more) => {
  while (String(text).includes(marker));
  return parse(text, ...more);
};
