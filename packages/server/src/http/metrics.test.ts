import { expect, it } from "vitest";
import { createMetrics } from "./metrics.ts";

it("[O4] writes the Prometheus text format", () => {
  const metrics = createMetrics();
  const calls = metrics.counter("quarterdeck_calls_total", "Calls");
  calls.add();
  calls.add(2, { method: 'a"b\\c\nd' });
  calls.add(1, { method: 'a"b\\c\nd' });
  metrics.gauge("quarterdeck_things", "Things\nnow", () => 4);
  const seconds = metrics.histogram("quarterdeck_seconds", "Time", [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 3]) seconds.observe(value);
  expect(metrics.text()).toBe(
    [
      "# HELP quarterdeck_calls_total Calls",
      "# TYPE quarterdeck_calls_total counter",
      "quarterdeck_calls_total 1",
      'quarterdeck_calls_total{method="a\\"b\\\\c\\nd"} 3',
      "# HELP quarterdeck_things Things now",
      "# TYPE quarterdeck_things gauge",
      "quarterdeck_things 4",
      "# HELP quarterdeck_seconds Time",
      "# TYPE quarterdeck_seconds histogram",
      'quarterdeck_seconds_bucket{le="0.1"} 2',
      'quarterdeck_seconds_bucket{le="1"} 3',
      'quarterdeck_seconds_bucket{le="+Inf"} 4',
      "quarterdeck_seconds_sum 3.65",
      "quarterdeck_seconds_count 4",
      "",
    ].join("\n"),
  );
  expect(() => metrics.counter("quarterdeck_calls_total", "")).toThrow(/counted already/u);
  expect(() => metrics.counter("calls", "")).toThrow(/not a name/u);
});
