// How much a test run repeats. `npm test` proves each rule once; `npm run test:all` also uses old CLIs and more rounds
// (docs/decisions/0021-what-npm-test-leaves-out.md).

import { NEWEST } from "./claude-cache.ts";

/** vitest.config.ts sets it. */
export const IS_WHOLE = process.env["QUARTERDECK_TESTS"] === "all";

/** For tests that every version must pass. Old versions never change, and the recordings have what they send. */
export const TRIED_VERSIONS: readonly (typeof NEWEST | "2.1.38")[] = IS_WHOLE ? [NEWEST, "2.1.38"] : [NEWEST];

/** A fifth of the rounds of a test that does the same many times by chance. */
export const roundsOf = (all: number): number => (IS_WHOLE ? all : Math.ceil(all / 5));
