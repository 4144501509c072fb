// Test support: property tests with a fixed seed, so a failure can be repeated.

import fc from "fast-check";

fc.configureGlobal({ seed: 20_261_115 });
export { fc };
