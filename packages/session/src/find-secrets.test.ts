import { describe, expect, it } from "vitest";
import { findSecrets, secretRemover, shownSecret } from "./find-secrets.ts";

// Put together here, so that no scanner takes this file for a leak.
const join = (...parts: readonly string[]): string => parts.join("");
const HEX = "9f86d081884c7d659a2feaa0c55ad015";
const KEY = join("-----BEGIN RSA PRIVATE", " KEY-----\nMIIEow", HEX, "\n-----END RSA PRIVATE", " KEY-----");
const AWS = join("AKIA", "IOSFODNN7QWERTYU");
const JWT = join("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0", ".dozjgNryP4J3jVmNHl0w5N");

describe("secrets in a text", () => {
  it.each([
    ["private key", `a\n${KEY}\nb`, KEY],
    ["Anthropic key", `export X=${join("sk-", "ant-api03-", HEX)}`, join("sk-", "ant-api03-", HEX)],
    ["API key", `key ${join("sk-", "proj-Ab1", HEX)}`, join("sk-", "proj-Ab1", HEX)],
    ["API key", join("rk_", "live_51H8x", HEX), join("rk_", "live_51H8x", HEX)],
    ["API key", join("whsec_", HEX), join("whsec_", HEX)],
    ["JSON web token", `token=${JWT}`, JWT],
    ["AWS key", `aws_access_key_id = ${AWS}`, AWS],
    [
      "named secret",
      join("AWS_SECRET_ACCESS_KEY=", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY"),
      "wJalrXUtnFEMI/K7MDENG/bPxRfiCY",
    ],
    ["access token", `git clone with ${join("ghp_", HEX)}`, join("ghp_", HEX)],
    ["access token", join("npm_", HEX), join("npm_", HEX)],
    ["access token", join("xoxb-", "1234567890-", HEX), join("xoxb-", "1234567890-", HEX)],
    ["webhook address", join("https://hooks.slack.com/services/", "T000/B000/", HEX), undefined],
    ["account key", join("AccountName=a;AccountKey=", HEX, HEX, "=="), join(HEX, HEX, "==")],
    ["password in a URL", "postgres://admin:pa55word@db.internal/app", "admin:pa55word"],
    ["bearer token", `curl -H "Authorization: Bearer ${HEX}"`, HEX],
    ["named secret", 'password: "hunter2hunter"', "hunter2hunter"],
    ["named secret", "DB_PASSWORD=correcthorse", "correcthorse"],
    ["named secret", '{"client_secret":"q8w7e6r5t4"}', "q8w7e6r5t4"],
  ])("finds a %s in %j", (kind, text, value) => {
    const found = findSecrets(text);
    expect(found.map((one) => one.kind)).toContain(kind);
    const one = found.find((each) => each.kind === kind)!;
    expect(text.slice(one.start, one.end)).toBe(one.value);
    if (value !== undefined) expect(one.value).toBe(value);
  });

  it.each([
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP",
    '<div class="sk-fading-circle sk-circle-bounce-delay-12">',
    "interface Login { password: string; token?: string; apiKey: undefined }",
    "const token = await readToken(request);",
    "const password = this.form.password;",
    "token: options.token ?? process.env.TOKEN",
    "API_KEY=${API_KEY} TOKEN=$TOKEN PASSWORD=<password> SECRET=your-secret-here",
    "api_key: sk-ant-… and sk-ant-xxxx",
    "password=**************",
    "The password: must have eight letters.",
    "max_token=100000, output token: 123456",
    "https://example.com/a:b@c and mailto:someone@example.com",
    "postgres://user:${PASSWORD}@db/app and redis://user:password@localhost",
    "Authorization: Bearer <token>; Basic authentication is off",
    "npm_config_registry_url and npm_lifecycle_event_name",
    "import { secret } from './secret.ts'; // cookie: none",
    "eyJ is how base64 of JSON begins",
    "AKIA is the beginning of a key",
  ])("finds nothing in %j", (text) => {
    expect(findSecrets(text)).toEqual([]);
  });

  it("reads a megabyte of anything in one go", () => {
    for (const piece of ["sk-", "eyJa.", "token=", "://a:", "Bearer ", "-----BEGIN PRIVATE KEY-----", "AKIA", "a1_"]) {
      const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
      expect(Array.isArray(findSecrets(text))).toBe(true);
    }
  });

  it("removes a value wherever it is, keeps what a person keeps, and shows only its ends", () => {
    const known = new Map([
      ["hunter2hunter", "named secret"],
      ["abc", "named secret"],
    ]);
    const remove = secretRemover(known, () => false);
    expect(remove('password: "hunter2hunter", then hunter2hunter again, abc')).toBe(
      'password: "[removed: named secret]", then [removed: named secret] again, abc',
    );
    expect(remove(`x ${AWS} y $& $1`)).toBe("x [removed: AWS key] y $& $1");
    const keeping = secretRemover(known, (value) => value === AWS);
    expect(keeping(`${AWS} hunter2hunter`)).toBe(`${AWS} [removed: named secret]`);
    expect([shownSecret(AWS), shownSecret("short1"), shownSecret(KEY)]).toEqual([
      "AKIA…YU",
      "s…",
      join("-----BEGIN RSA PRIVATE", " KEY----- …"),
    ]);
  });
});
