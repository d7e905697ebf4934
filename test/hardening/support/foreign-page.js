// Runs inside a page of another origin: every way a page can make a request without asking anybody.
const jsonTypes = ["application/json", "text/plain", "application/x-www-form-urlencoded"];

function fetches(url, body) {
  const headersOf = (type) => ({ "content-type": type, "x-model-id": "hub/m" });
  return jsonTypes.flatMap((type) =>
    ["cors", "no-cors"].flatMap((mode) => [
      [`fetch ${mode} ${type}`, () => fetch(url, { method: "POST", mode, headers: headersOf(type), body })],
      [
        `fetch ${mode} ${type} with cookies`,
        () => fetch(url, { method: "POST", mode, credentials: "include", headers: { "content-type": type }, body }),
      ],
    ]),
  );
}

function submitForm(url, body, enctype) {
  return new Promise((resolve) => {
    const frame = Object.assign(document.createElement("iframe"), { name: `f${Math.random()}` });
    const form = Object.assign(document.createElement("form"), {
      action: url,
      method: "POST",
      enctype,
      target: frame.name,
    });
    // A text/plain form sends name=value: split like this, the two are the JSON text with an "=" in it.
    form.append(Object.assign(document.createElement("input"), { name: body.slice(0, -1), value: "}" }));
    frame.addEventListener("load", resolve);
    document.body.append(frame, form);
    form.submit();
    setTimeout(resolve, 1000);
  });
}

function openEventSource(url) {
  return new Promise((resolve, reject) => {
    const source = new EventSource(url);
    source.addEventListener("open", resolve);
    source.addEventListener("error", () => {
      source.close();
      reject(new Error("refused"));
    });
  });
}

function openWebSocket(url) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error("refused")));
  });
}

function describeResult(result) {
  if (result instanceof Response) return `${result.type} ${result.status}`;
  return typeof result === "string" ? `read: ${result.slice(0, 80)}` : "sent";
}

globalThis.attack = async ({ evaluation, agent, body }) => {
  const plain = () => new Blob([body], { type: "text/plain" });
  const posts = [`${evaluation}/evaluate`, `${agent}/`].flatMap((url) => [
    ...fetches(url, body),
    ["fetch of a Blob", () => fetch(url, { method: "POST", mode: "no-cors", body: plain() })],
    ["sendBeacon", async () => navigator.sendBeacon(url, plain())],
    ["keepalive", () => fetch(url, { method: "POST", mode: "no-cors", keepalive: true, body })],
    ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"].map((enctype) => [
      `form ${enctype}`,
      () => submitForm(url, body, enctype),
    ]),
  ]);
  const reads = [`${evaluation}/runs`, `${evaluation}/runs/x/events`, `${agent}/studio/models`].flatMap((url) => [
    ["read", async () => (await fetch(url)).text()],
    ["EventSource", () => openEventSource(url)],
  ]);
  const others = [
    ["delete", () => fetch(`${evaluation}/runs/x`, { method: "DELETE" })],
    ["cancel", () => fetch(`${evaluation}/runs/x/cancel`, { method: "POST", mode: "no-cors" })],
    ["WebSocket", () => openWebSocket(evaluation.replace("http", "ws"))],
  ];
  return Promise.all(
    [...posts, ...reads, ...others].map(async ([name, attempt]) => {
      try {
        return { name, outcome: describeResult(await attempt()) };
      } catch (error) {
        return { name, outcome: `failed: ${error.message}` };
      }
    }),
  );
};
