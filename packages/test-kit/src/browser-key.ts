// The key pair that a browser makes when it is paired.

import { webcrypto } from "node:crypto";

export interface BrowserKey {
  readonly publicKey: string;
  readonly sign: (text: string) => Promise<string>;
}

export const browserKey = async (): Promise<BrowserKey> => {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const spki = await webcrypto.subtle.exportKey("spki", keys.publicKey);
  return {
    publicKey: Buffer.from(spki).toString("base64url"),
    async sign(text) {
      const signed = await webcrypto.subtle.sign(
        { name: "ECDSA", hash: "SHA-256" },
        keys.privateKey,
        Buffer.from(text),
      );
      return Buffer.from(signed).toString("base64url");
    },
  };
};
