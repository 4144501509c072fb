import { expect, it } from "vitest";
import { changeOf, EMPTY_SERVER, formOf } from "./server-config.ts";

it("reads a server as a form and back, and says what is wrong", () => {
  const config = { type: "stdio", command: "npx", args: ["-y", "a b"], env: { TOKEN: "<hidden>", EMPTY: "" } };
  const form = formOf("tide", "local", config);
  expect(form.values).toBe("TOKEN=<hidden>\nEMPTY=");
  expect(changeOf(form)).toEqual({ scope: "local", name: "tide", config });
  const remote = { type: "http", url: "https://tide.example/mcp", headers: { Authorization: "Bearer a=b" } };
  expect(changeOf(formOf("tide", "user", remote))).toEqual({ scope: "user", name: "tide", config: remote });
  expect(changeOf({ ...EMPTY_SERVER, name: "../x", command: "y" })).toMatch(/letters/u);
  expect(changeOf({ ...form, values: "no sign" })).toMatch(/NAME=value/u);
  expect(changeOf({ ...form, type: "sse", url: "javascript:x" })).toMatch(/https/u);
});
