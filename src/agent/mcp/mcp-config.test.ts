import { expect, test } from "vitest";
import { Secret } from "../../base/secret.ts";
import { parseMcpConfig } from "./mcp-config.ts";

const parse = (config: unknown) =>
  parseMcpConfig(typeof config === "string" ? config : JSON.stringify(config), {
    path: "/etc/agent/mcp.json",
    variables: { TOKEN: "t0ken", EMPTY: "", HOME: "/home/me" },
  });

test("reads the format of other MCP clients, with our additions", () => {
  const config = {
    mcpServers: {
      files: { command: "npx", args: ["-y", "files-server"], env: { KEY: "${TOKEN}", PLAIN: "x" }, cwd: "work" },
      wiki: {
        type: "http",
        url: "https://wiki.test/mcp",
        headers: { Authorization: "Bearer ${TOKEN}" },
        allow: ["search"],
        approval: true,
        timeout_ms: 5000,
      },
      old: { command: "x", disabled: true },
    },
    pins: "pins.json",
  };
  expect(parse(config)).toEqual({
    servers: [
      {
        kind: "stdio",
        name: "files",
        command: "npx",
        args: ["-y", "files-server"],
        env: { KEY: "t0ken", PLAIN: "x" },
        cwd: "/etc/agent/work",
        allow: null,
        approval: [],
        timeoutMs: undefined,
        secrets: [new Secret("t0ken")],
      },
      {
        kind: "http",
        name: "wiki",
        url: "https://wiki.test/mcp",
        headers: { authorization: "Bearer t0ken" },
        isOlder: false,
        allow: ["search"],
        approval: true,
        timeoutMs: 5000,
        secrets: [new Secret("t0ken")],
      },
    ],
    pins: "/etc/agent/pins.json",
  });
});

test("keeps pins in memory unless a file is named", () => {
  expect(parse({ mcpServers: {} })).toEqual({ servers: [], pins: null });
});

test("uses the older transport if the type says so", () => {
  const url = "https://a.test/sse";
  const { servers } = parse({ mcpServers: { old: { type: "sse", url }, new: { type: "http", url }, any: { url } } });
  expect(servers.map((server) => server.kind === "http" && server.isOlder)).toEqual([true, false, false]);
});

const one = (server: unknown, name = "a") => ({ mcpServers: { [name]: server } });

test.each<[unknown, string]>([
  ["{", "/etc/agent/mcp.json is not valid JSON"],
  [{}, "/etc/agent/mcp.json is not valid: mcpServers"],
  [
    one({}),
    '/etc/agent/mcp.json: the MCP server "a" needs either "command" (a program to start) or "url" (an address).',
  ],
  [one({ command: "x", url: "https://a.test" }), 'needs either "command"'],
  [one("npx server"), 'the MCP server "a" must be an object.'],
  [
    one({ type: "websocket", url: "https://a.test" }),
    'the MCP server "a" is not valid: type must be one of "http", "streamable-http", "streamableHttp", "sse"',
  ],
  [one({ url: "ftp://a.test" }), "needs a url that begins with https:// or http://"],
  [one({ url: "a.test/mcp" }), "needs a url that begins with"],
  [one({ command: "x", headers: {} }), 'the MCP server "a" is not valid: it has unknown fields: headers'],
  [one({ command: "x", args: "-y" }), 'the MCP server "a" is not valid: args must be an array, not a string'],
  [one({ command: "x", env: { KEY: "${MISSING}" } }), 'KEY of the MCP server "a" uses ${MISSING}, which is not set.'],
  [one({ command: "x", env: { KEY: "${EMPTY}" } }), "which is not set"],
  [one({ command: "x", args: ["${MISSING}"] }), 'An argument of the MCP server "a" uses ${MISSING}, which is not set.'],
  [one({ url: "https://a.test", headers: { a: "x\ny" } }), "The header a of"],
  [one({ command: "x" }, "two words"), '"two words" cannot name an MCP server'],
  [one({ command: "x" }, "a__b"), '"a__b" cannot name an MCP server'],
])("refuses %j in one clear line", (config, message) => {
  expect(() => parse(config)).toThrow(
    expect.objectContaining({ name: "ConfigError", message: expect.stringContaining(message) }),
  );
});

test("does not show a refused value that may be a secret", () => {
  const config = one({ url: "https://a.test", headers: { authorization: "Bearer ${TOKEN}\n" } });
  expect(() => parse(config)).toThrow(expect.not.objectContaining({ message: expect.stringContaining("t0ken") }));
  expect(() => parse('{"mcpServers": {"a": {"url": k3y}}}')).toThrow(/is not valid JSON: Unexpected token 'k'$/);
});

test("resolves variables in command and arguments, as other MCP clients do", () => {
  const { servers } = parse(one({ command: "${HOME}/server", args: ["--key=${TOKEN}", "$TOKEN", "${HOME}/notes"] }));
  const args = ["--key=t0ken", "$TOKEN", "/home/me/notes"];
  expect(servers).toMatchObject([{ command: "/home/me/server", args, secrets: [new Secret("t0ken")] }]);
});

test("treats values from the environment, or under a secret's name, as secrets", () => {
  const { servers } = parse({
    mcpServers: {
      files: { command: "x", env: { URL: "https://me:${TOKEN}@git.test", PLAIN: "plain", API_KEY: "written" } },
      wiki: { url: "https://wiki.test/${TOKEN}", headers: { "x-tenant": "acme", Authorization: "Bearer ${TOKEN}" } },
    },
  });
  expect(servers.map(({ secrets }) => secrets.map((secret) => secret.reveal()))).toEqual([
    ["t0ken", "written"],
    ["t0ken", "t0ken"],
  ]);
});
