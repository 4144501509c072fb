// Test support: property tests with a fixed seed, so that a failure is the same for everybody.

import fc from "fast-check";

fc.configureGlobal({ seed: 20_261_115 });
export { fc };
