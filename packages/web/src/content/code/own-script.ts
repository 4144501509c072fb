interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (given: string) => string },
  ): { createScriptURL(given: string): string };
}

let policy: ReturnType<TrustedTypes["createPolicy"]> | undefined;

/** The page's policy accepts no string as the address of a script. This address is ours, known at build time. */
export const ownScript = (url: string): string => {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  if (types === undefined) return url;
  // A policy name can be used once.
  policy ??= types.createPolicy("quarterdeck-worker", {
    createScriptURL: (given) => {
      if (new URL(given, location.href).origin !== location.origin) throw new TypeError("Only the page's own scripts.");
      return given;
    },
  });
  return policy.createScriptURL(url);
};
