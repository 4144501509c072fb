import { canonicalJson } from "@quarterdeck/session/bridge";

/** SHA-256 in hex of the canonical JSON of the value. `session/respond` needs it. */
export const hashOf = async (value: unknown): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonicalJson(value)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
};
