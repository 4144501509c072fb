// The domain rules of one behavior: `WebFetch(domain:x)` is about that host alone, `domain:*.x` about hosts below it. Since 2.1.200 a
// star may stand anywhere.

import type { PlacedRule } from "./types.ts";

interface Pattern {
  /** The texts between stars. */
  readonly parts: readonly string[];
  readonly rule: PlacedRule;
}

export class DomainRules {
  readonly #hosts = new Map<string, PlacedRule>();
  /** By the text as it is written. Before stars, capitals in a rule fit no host. */
  readonly #exact = new Map<string, PlacedRule>();
  readonly #below = new Map<string, PlacedRule>();
  readonly #patterns: Pattern[] = [];

  constructor(rules: readonly PlacedRule[]) {
    for (const rule of rules) {
      const content = rule.rule.ruleContent ?? "";
      if (!content.startsWith("domain:")) continue;
      if (!this.#exact.has(content)) this.#exact.set(content, rule);
      const domain = content.slice("domain:".length).toLowerCase();
      const isBelow = domain.startsWith("*.");
      const name = isBelow ? domain.slice(2) : domain;
      if (name.includes("*")) {
        this.#patterns.push({ parts: domain.split("*"), rule });
        continue;
      }
      const map = isBelow ? this.#below : this.#hosts;
      if (!map.has(name)) map.set(name, rule);
    }
  }

  /** `host` is in lower case. */
  match(host: string, stars: boolean): PlacedRule | undefined {
    if (!stars) return this.#exact.get(`domain:${host}`);
    const exact = this.#hosts.get(host);
    if (exact !== undefined) return exact;
    // Since stars are understood, a dot at the end of a rule is too.
    const dotted = this.#hosts.get(`${host}.`);
    if (dotted !== undefined) return dotted;
    for (let at = this.#below.size === 0 ? -1 : host.indexOf("."); at !== -1; at = host.indexOf(".", at + 1)) {
      const rule = this.#below.get(host.slice(at + 1));
      if (rule !== undefined) return rule;
    }
    return this.#patterns.find((pattern) => fits(pattern, host))?.rule;
  }
}

/** For an allow, a star ends at a dot: what the CLI allows beyond that was not measured. */
const fits = ({ parts, rule }: Pattern, host: string): boolean => {
  if (rule.behavior === "allow") {
    const names = parts.join("*").split(".");
    const own = host.split(".");
    return names.length === own.length && names.every((name, at) => hasParts(name.split("*"), own[at]!));
  }
  return hasParts(parts, host);
};

const hasParts = (parts: readonly string[], text: string): boolean => {
  const [first = "", ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
};
