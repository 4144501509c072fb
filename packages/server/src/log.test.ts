import { describe, expect, it } from "vitest";
import { createLog, loggedPath } from "./log.ts";
import type { LogOptions } from "./log.ts";

const lines = (options: Partial<LogOptions>, write: (log: ReturnType<typeof createLog>) => void): string[] => {
  const written: string[] = [];
  const now = () => new Date(0);
  write(createLog({ write: (line) => written.push(line), level: "debug", format: "json", now, ...options }));
  return written;
};

describe("the log (S24)", () => {
  it("is one line of JSON per event", () => {
    expect(lines({}, (log) => log.info("server started", { port: 1, url: undefined, ok: true }))).toEqual([
      '{"time":"1970-01-01T00:00:00.000Z","level":"info","event":"server started","port":1,"ok":true}\n',
    ]);
  });

  it.each(["json", "text"] as const)("stays one line whatever a value contains: %s", (format) => {
    const hostile = `a\r\nb\n{"level":"error"}\u001b[2J\u001b]0;x\u0007\u0085\u2028\u2029\u202e\u009b31m\0`;
    const written = lines({ format }, (log) => log.warn("request refused", { path: hostile }));
    expect(written).toHaveLength(1);
    // oxlint-disable-next-line no-control-regex
    expect(written[0]!.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/u);
    if (format === "json") expect((JSON.parse(written[0]!) as { path: string }).path).toBe(hostile);
  });

  it("cuts long values", () => {
    const [line] = lines({}, (log) => log.error("request failed", { error: "x".repeat(2_000_000) }));
    expect(line!.length).toBeLessThan(2200);
    expect(line).toContain("(2000000 characters)");
  });

  it("does not write fields with secret names", () => {
    const secret = "hunter2hunter2";
    const fields = Object.fromEntries(
      [
        "authorization",
        "token",
        "apiToken",
        "cookie",
        "secret",
        "pairCode",
        "code",
        "signature",
        "privateKey",
        "link",
      ].map((name) => [name, secret]),
    );
    expect(lines({}, (log) => log.info("x", fields)).join("")).not.toContain(secret);
  });

  it("starts at its level", () => {
    const write = (log: ReturnType<typeof createLog>): void => {
      log.debug("a");
      log.info("b");
      log.warn("c");
      log.error("d");
    };
    expect(lines({ level: "warn", format: "text" }, write)).toEqual(["00:00:00 warn  c\n", "00:00:00 error d\n"]);
  });

  it("logs a path without what could give access", () => {
    expect(["/t/abc", "/metrics?token=x", "/#pair=x", "/a/b"].map(loggedPath)).toEqual([
      "/t/…",
      "/metrics",
      "/",
      "/a/b",
    ]);
  });
});
