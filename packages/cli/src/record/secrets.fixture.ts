// Test support: texts that contain generated secrets.

import fc from "fast-check";

fc.configureGlobal({ seed: 20_261_115 });
export { fc };

const alphanumeric = (min: number, max: number) =>
  fc.array(fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".split("")), {
    minLength: min,
    maxLength: max,
  });
const word = (min: number, max: number) => alphanumeric(min, max).map((chars) => chars.join(""));
/** A text with a secret in it, and what must not be left of it. */
export const secretInText: fc.Arbitrary<{ readonly text: string; readonly secret: string }> = fc.oneof(
  word(12, 40).map((secret) => ({ text: `sk-ant-${secret}`, secret })),
  word(36, 36).map((secret) => ({ text: `ghp_${secret}`, secret })),
  word(20, 40).map((secret) => ({ text: `Bearer ${secret}`, secret })),
  fc
    .tuple(
      fc.constantFrom("password", "API_KEY", "clientSecret", "auth-token"),
      fc.constantFrom("=", ": ", '": "'),
      word(10, 30),
    )
    .map(([name, between, secret]) => ({ text: `${name}${between}1${secret}`, secret })),
  fc.tuple(word(8, 12), word(5, 9)).map(([name, host]) => ({ text: `${name}@${host}.org`, secret: name })),
  word(8, 12).map((secret) => ({ text: `/home/${secret}/src`, secret })),
);
