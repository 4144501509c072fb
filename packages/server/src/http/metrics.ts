// Numbers about the server in the Prometheus text format. Nothing is measured here: each part counts its own numbers.

import type { Labels, Metrics } from "./contract.ts";

interface Family {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly lines: (name: string) => Iterable<string>;
}

export const createMetrics = (): Metrics => {
  const families = new Map<string, Family>();
  const add = (name: string, family: Family): void => {
    if (!/^quarterdeck_[a-z0-9_]+$/u.test(name)) throw new Error(`${name} is not a name for a metric.`);
    if (families.has(name)) throw new Error(`${name} is counted already.`);
    families.set(name, family);
  };
  return {
    counter(name, help) {
      const values = new Map<string, number>();
      add(name, {
        kind: "counter",
        help,
        lines: (of) => [...values].map(([labels, value]) => line(of, labels, value)),
      });
      return {
        add(by = 1, labels = {}) {
          const key = labelsOf(labels);
          values.set(key, (values.get(key) ?? 0) + by);
        },
      };
    },
    gauge(name, help, read) {
      add(name, { kind: "gauge", help, lines: (of) => [line(of, "", read())] });
    },
    histogram(name, help, buckets) {
      const series = new Map<
        string,
        { readonly labels: Labels; readonly counts: number[]; sum: number; count: number }
      >();
      add(name, {
        kind: "histogram",
        help,
        *lines(of) {
          for (const { labels, counts, sum, count } of series.values()) {
            let below = 0;
            for (const [at, bound] of buckets.entries()) {
              below += counts[at] ?? 0;
              yield line(`${of}_bucket`, labelsOf({ ...labels, le: String(bound) }), below);
            }
            yield line(`${of}_bucket`, labelsOf({ ...labels, le: "+Inf" }), count);
            yield line(`${of}_sum`, labelsOf(labels), sum);
            yield line(`${of}_count`, labelsOf(labels), count);
          }
        },
      });
      return {
        observe(value, labels = {}) {
          const key = labelsOf(labels);
          const known = series.get(key) ?? { labels, counts: buckets.map(() => 0), sum: 0, count: 0 };
          series.set(key, known);
          const at = buckets.findIndex((bound) => value <= bound);
          if (at !== -1) known.counts[at] = (known.counts[at] ?? 0) + 1;
          known.sum += value;
          known.count++;
        },
      };
    },
    text() {
      let text = "";
      for (const [name, { kind, help, lines }] of families) {
        text += `# HELP ${name} ${help.replaceAll("\n", " ")}\n# TYPE ${name} ${kind}\n`;
        for (const one of lines(name)) text += one;
      }
      return text;
    },
  };
};

const line = (name: string, labels: string, value: number): string => `${name}${labels} ${String(value)}\n`;

const labelsOf = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
};
