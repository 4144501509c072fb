import { decodeValue } from "@quarterdeck/protocol";
import type { JsonValue } from "@quarterdeck/protocol";
import { describe, expect, test } from "vitest";
import { recordedLines } from "@quarterdeck/test-kit/recorded-lines";
import { Redactor, replacedAcross } from "./redact.ts";
import { fc, secretInText } from "./secrets.fixture.ts";

const PERSON = { home: "/home/margaret", user: "margaret", host: "atlas.example.net", secrets: ["a-known-value-77"] };
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";

describe("text", () => {
  test.each([
    ["an API key", "key sk-ant-api03-AbC_d-9 end", "key <secret-1> end"],
    ["a token of a header", "Authorization: Bearer abc123.def-456", "Authorization: Bearer <secret-1>"],
    ["a JWT", `jwt ${JWT}.`, "jwt <secret-1>."],
    ["an AWS key", "AKIAIOSFODNN7EXAMPLE", "<secret-1>"],
    ["a GitHub token", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "<secret-1>"],
    ["a password of a URL", "postgres://bob:hunter2@db/x", "postgres://<secret-1>@db/x"],
    ["key=value", "DB_PASSWORD=hunter22 next", "DB_PASSWORD=<secret-1> next"],
    ["JSON in text", '{"api_key": "abcd-efgh"}', '{"api_key": "<secret-1>"}'],
    ["YAML", "client_secret: 'correct-horse'", "client_secret: '<secret-1>'"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nok", "<secret-1>\nok"],
    ["e-mail", "From: Ann.Lee+x@mail.example.org,", "From: <email-1>,"],
    ["the home folder", "cd /home/margaret/src && ls /home/margaret", "cd <home>/src && ls <home>"],
    ["the CLI's name of a project", "/x/projects/-home-margaret-src/a", "/x/projects/<home>-src/a"],
    ["the home of another", "/Users/ann/src and /home/ben/src", "/Users/<user-1>/src and /home/<user-2>/src"],
    ["the user", "author margaret, not margarets", "author <user>, not margarets"],
    ["the machine", "ATLAS and atlas.example.net", "<host> and <host>"],
    ["a value from the environment", "x=a-known-value-77;", "x=<secret-1>;"],
  ])("%s", (_, text, clean) => {
    expect(new Redactor(PERSON).text(text)).toBe(clean);
  });

  test.each([
    "max_tokens: 200000 and total_tokens=1234567",
    "password: string; token?: string | undefined",
    "const token = readToken(file)",
    "basic authentication and bearer certificates",
    "npm install foo@1.2.3 @scope/pkg@latest",
    "/homes/x /home and git status",
    '{"apiKeySource":"ANTHROPIC_API_KEY"}',
  ])("nothing in: %s", (text) => {
    expect(new Redactor(PERSON).text(text)).toBe(text);
  });

  test("the same value has the same placeholder, another value another one", () => {
    const redactor = new Redactor();
    expect(redactor.text("a@x.org b@x.org A@x.org")).toBe("<email-1> <email-2> <email-1>");
    expect(redactor.text("b@x.org")).toBe("<email-2>");
  });

  test("a value that was recognized by its name is recognized without it", () => {
    const redactor = new Redactor();
    expect(redactor.text("export TOKEN=q7rt9xk2mm")).toBe("export TOKEN=<secret-1>");
    expect(redactor.text("it printed q7rt9xk2mm")).toBe("it printed <secret-1>");
  });

  test("generic account names stay", () => {
    expect(new Redactor({ home: "/admin", user: "admin", host: "localhost" }).text("admin@ /admin/x /admins")).toBe(
      "admin@ <home>/x /admins",
    );
  });

  test("a long text without a match takes linear time", () => {
    const text = "aA0+".repeat(1_000_000);
    expect(new Redactor(PERSON).text(text)).toBe(text);
  });
});

describe("JSON", () => {
  test("changes only strings and keys", () => {
    const text = '{ "n":1.0, "a@x.org" : ["\\u0041", "b@x.org"], "n":1e3, "deep":{"token":"abc","count":7} }';
    expect(new Redactor().json(text)).toBe(
      '{ "n":1.0, "<email-1>" : ["\\u0041", "<email-2>"], "n":1e3, "deep":{"token":"<secret-1>","count":7} }',
    );
  });

  test("the account in an initialize answer is personal, its plan is not", () => {
    const account = {
      email: "ann@x.org",
      organization: "Lee & Daughters",
      subscriptionType: "max",
      tokenSource: "claude.ai",
      apiKeySource: "ANTHROPIC_API_KEY",
    };
    const redactor = new Redactor();
    expect(JSON.parse(redactor.json(JSON.stringify({ account, models: [{ value: "opus" }] })))).toEqual({
      account: { ...account, email: "<email-1>", organization: "<account-1>" },
      models: [{ value: "opus" }],
    });
    expect(redactor.text("We at Lee & Daughters")).toBe("We at <account-1>");
  });

  test("handles nesting of any depth, __proto__ and text inside text", () => {
    const deep = `${"[".repeat(20_000)}"a@x.org"${"]".repeat(20_000)}`;
    expect(new Redactor().json(deep)).toBe(deep.replace("a@x.org", "<email-1>"));
    expect(new Redactor().json('{"__proto__":{"password":"x y"}}')).toBe('{"__proto__":{"password":"<secret-1>"}}');
    const inner = JSON.stringify({ text: JSON.stringify({ password: "hunter22", to: "a@x.org" }) });
    const clean = JSON.parse(new Redactor().json(inner)) as { text: string };
    expect(JSON.parse(clean.text)).toEqual({ password: "<secret-1>", to: "<email-1>" });
  });
});

describe("in any context (S24)", () => {
  const around = fc.constantFrom("", " ", "\n", '"', "'", "(", ",", " é ", "\u2028", "😀");
  test("a redacted text does not contain the secret, and redacting it again changes nothing", () => {
    fc.assert(
      fc.property(secretInText, around, around, ({ text, secret }, before, after) => {
        const redactor = new Redactor(PERSON);
        const clean = redactor.text(before + text + after);
        expect(clean).not.toContain(secret);
        expect(redactor.text(clean)).toBe(clean);
      }),
    );
  });

  test("redacted JSON is JSON of the same shape without the secret", () => {
    fc.assert(
      fc.property(secretInText, fc.jsonValue(), around, ({ text, secret }, other, before) => {
        const clean = new Redactor(PERSON).json(JSON.stringify({ other, list: [before + text], n: 1 }));
        expect(clean).not.toContain(secret);
        const value = JSON.parse(clean) as { list: string[]; n: number };
        expect(value.n).toBe(1);
        expect(value.list).toHaveLength(1);
      }),
    );
  });

  test("joined pieces equal the redacted whole, however it was cut", () => {
    fc.assert(
      fc.property(secretInText, around, fc.array(fc.nat(60), { maxLength: 6 }), ({ text }, between, cuts) => {
        const whole = `${between}${text}${between} and ${text}`;
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length].toSorted((a, b) => a - b);
        const pieces = at.slice(1).map((end, index) => whole.slice(at[index], end));
        const redactor = new Redactor(PERSON);
        const spans = redactor.spansIn(whole);
        const clean = replacedAcross(pieces, spans);
        expect(clean).toHaveLength(pieces.length);
        expect(clean.join("")).toBe(redactor.text(whole));
      }),
    );
  });
});

test("a redacted recording keeps its meaning: every line decodes as before", () => {
  const redactor = new Redactor({ home: "/home/user", user: "margaret", host: "atlas" });
  const lines = recordedLines().flatMap(({ dir, msg }) => (msg === undefined ? [] : [{ dir, msg }]));
  const changed = lines.filter(({ dir, msg }) => {
    const writer = dir === "in" ? "host" : "cli";
    const clean = JSON.parse(redactor.json(JSON.stringify(msg))) as JsonValue;
    return decodeValue(clean, writer).kind !== decodeValue(msg as JsonValue, writer).kind;
  });
  expect(lines.length).toBeGreaterThan(5000);
  expect(changed).toEqual([]);
});
