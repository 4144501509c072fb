import { expect, it } from "vitest";
import { isReachable } from "./reachable.ts";

it.each([
  "https://deck.tail1234.ts.net/#pair=x",
  "https://192.168.1.7:7433/",
  "https://[fd7a::1]/",
  "https://127.example.org/",
])("another device can open %s", (link) => expect(isReachable(link)).toBe(true));

it.each([
  "http://localhost:7433/#pair=x",
  "http://127.0.0.1:7433/",
  "http://127.1:7433/",
  "http://[::1]:7433/",
  "http://deck.localhost/",
  "http://0.0.0.0:7433/",
  "http://[::ffff:127.0.0.1]/",
  "nothing",
])("only this machine can open %s", (link) => expect(isReachable(link)).toBe(false));
