// The domain rules of one behaviour: `WebFetch(domain:x)` is about that host alone, `domain:*.x` about hosts below it.

import type { PlacedRule } from "./types.ts";

export class DomainRules {
  readonly #hosts = new Map<string, PlacedRule>();
  readonly #below = new Map<string, PlacedRule>();

  constructor(rules: readonly PlacedRule[]) {
    for (const rule of rules) {
      const content = rule.rule.ruleContent ?? "";
      if (!content.startsWith("domain:")) continue;
      const domain = content.slice("domain:".length).toLowerCase();
      const [map, key] = domain.startsWith("*.") ? [this.#below, domain.slice(2)] : [this.#hosts, domain];
      if (!map.has(key)) map.set(key, rule);
    }
  }

  /** `host` is in lower case. */
  match(host: string, stars: boolean): PlacedRule | undefined {
    const exact = this.#hosts.get(host);
    if (exact !== undefined || !stars || this.#below.size === 0) return exact;
    for (let at = host.indexOf("."); at !== -1; at = host.indexOf(".", at + 1)) {
      const rule = this.#below.get(host.slice(at + 1));
      if (rule !== undefined) return rule;
    }
    return undefined;
  }
}
